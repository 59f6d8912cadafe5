/** `inbox`: something to fold. `run`: the run's log grew. `orders`: a worker should look for stop orders and answers. */
export type FeedChannel = "inbox" | "run" | "orders";

/**
 * Wake-ups across processes. A hint, never a fact: everything works, only later, when none is delivered.
 * Contract: handlers may be called late, twice or never; they only enqueue.
 */
export interface Feed {
  /** `detail` is a run id, or empty. At most 200 characters. */
  publish(channel: FeedChannel, detail: string): Promise<void>;
  subscribe(channel: FeedChannel, handler: (detail: string) => void): () => void;
}
