import type { Feed } from "@bridle/ports";

/**
 * Tells streams that a run's log has grown: one subscription to the feed however many streams there are. A wake is a
 * hint; streams also look by themselves.
 */
export class RunWakes {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #unsubscribe: () => void;

  constructor(feed: Pick<Feed, "subscribe">) {
    this.#unsubscribe = feed.subscribe("run", (runId) => {
      for (const wake of this.#waiting.get(runId) ?? []) wake();
    });
  }

  /** Streams listening now: a server at rest has none. */
  get size(): number {
    let size = 0;
    for (const wakes of this.#waiting.values()) size += wakes.size;
    return size;
  }

  /** Contract: `wake` is synchronous and never throws. */
  listen(runId: string, wake: () => void): () => void {
    const wakes = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, wakes.add(wake));
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0) this.#waiting.delete(runId);
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#waiting.clear();
  }
}
