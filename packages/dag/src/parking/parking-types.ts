import type { RunId, TaskId } from "@bridle/protocol";

/** A task behind an open breaker, in its place of the line. */
export interface ParkedTask {
  readonly runId: RunId;
  readonly taskId: TaskId;
  /** The attempt that ended by the refusal. */
  readonly attempt: number;
  /** Key of the breaker that refused. */
  readonly breaker: string;
  /** Wall ms; the line is in this order. */
  readonly parkedAt: number;
}

interface Told {
  readonly breaker: string;
  /** Boot id of the worker whose breaker it is; undefined when nobody knows. */
  readonly teller: string | undefined;
  /** Wall ms by the teller's clock. */
  readonly at: number;
}

/** A call was refused: the word that parks. `until`: wall ms by the scheduler's clock. `reason`: as the breaker names it. */
export interface RefusedWord extends Told {
  readonly type: "refused";
  readonly reason: string;
  readonly until: number;
}

/** A breaker changed its state, or let a probe out. */
type TransitionWord =
  | (Told & { readonly type: "opened"; readonly until: number })
  | (Told & { readonly type: "half_opened" | "probed" | "closed" });

/** What a worker says about one of its breakers. Each worker has its own, and they may disagree. */
export type BreakerWord = RefusedWord | TransitionWord;
