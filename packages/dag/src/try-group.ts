import type { EndCause } from "@bridle/protocol";

/**
 * Causes that share one own cap: "worker lost, child killed or crashed" is one row of the table, so that a task that
 * kills whatever runs it is not tried twice for each way of dying.
 */
export function tryGroup(cause: EndCause): string {
  return cause === "child_crashed" ? "worker_lost" : cause;
}
