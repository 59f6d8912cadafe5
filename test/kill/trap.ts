import type { FailpointName } from "../support/with-failpoints.ts";

/** What happens at the hit-th time that a place of the task protocol is reached. */
export interface Trap {
  readonly point: FailpointName;
  readonly when: "before" | "after";
  readonly hit: number;
  /** `drop`: before, the operation is not done; after, it is done; either way its caller hears that the store is away. */
  readonly action: "crash" | "delay" | "drop";
}

/** These traps and no others, from now on. */
export interface Orders {
  readonly traps: readonly Trap[];
}

/** How often each place was reached: `before claim`. */
export type Hits = Readonly<Record<string, number>>;
