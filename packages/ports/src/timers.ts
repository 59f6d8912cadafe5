import type { RunId } from "@bridle/protocol";

export interface DueTimer {
  readonly runId: RunId;
  readonly key: string;
  readonly at: number;
}

/** Due times written with the append that set them. A due timer stays due until a commit clears or moves it, or ends its run. */
export interface Timers {
  /** Earliest first. */
  due(nowWallMs: number, limit: number): Promise<readonly DueTimer[]>;
  /** How many timers with a key `<kind>:<task>:<about>` there are, by what they are about: most first, then by name. */
  tally(kind: string): Promise<readonly { readonly about: string; readonly count: number }[]>;
  /** When the next one falls due, in wall ms. */
  next(): Promise<number | undefined>;
}
