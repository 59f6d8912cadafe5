import { durationOf, watchTableBytes } from "@bridle/watchdog";

import type { DutyConfig } from "./scan-duty.ts";
import type { ScannerOptions } from "./scanner.ts";

/** WD-12. */
const defaultPeriodMs = 1000;
/** WD-13. */
const defaultAnswerWithinMs = 2000;
/** How long an inline task may block the loop before the process is ended (architecture, "isolation"). */
const defaultBlockedAfterMs = 10_000;

/** Options with nothing left open. Throws a RangeError that names the value for what is no duration or slot count. */
export function scannerSettings(options: ScannerOptions): DutyConfig {
  const { slots, mode = "enforce", blockedLoop = {} } = options;
  const { action = "end_process", afterMs = defaultBlockedAfterMs } = blockedLoop;
  watchTableBytes(slots);
  return {
    slots,
    mode,
    periodMs: Math.max(1, durationOf("periodMs", options.periodMs ?? defaultPeriodMs)),
    answerWithinMs: durationOf("answerWithinMs", options.answerWithinMs ?? defaultAnswerWithinMs),
    blockedAfterMs: action === "report" ? undefined : durationOf("blockedLoop.afterMs", afterMs),
  };
}
