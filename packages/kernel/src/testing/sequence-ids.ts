import type { Ids } from "../random.ts";

/** `run_1`, `run_2`, `hold_3`: readable in a failing test. */
export function sequenceIds(): Ids {
  let count = 0;
  return { next: (prefix) => `${prefix}_${++count}` };
}
