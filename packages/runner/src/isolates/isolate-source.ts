import type { Isolate } from "./isolate.ts";

/** Where the isolates of one agent come from. */
export interface IsolateSource {
  /** A ready isolate, for one task. Rejects with `agent_broken` when none can be started. */
  acquire(): Promise<Isolate>;
  /** Gives it back after its task. `reusable: false` ends it. Never rejects. */
  release(isolate: Isolate, reusable: boolean): Promise<void>;
  /** Ends all that are idle; later releases end theirs. */
  close(): Promise<void>;
}
