import type { Clock } from "@bridle/kernel";
import type { ModelCall } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";

/** Throws the signal's reason, or `deadline_passed`: a call that would be billed and thrown away is not sent. */
export function assertMaySend({ signal, deadlineMs }: ModelCall, clock: Clock): void {
  signal.throwIfAborted();
  const lateMs = clock.monotonicMs() - deadlineMs;
  if (lateMs < 0) return;
  throw bridleError("deadline_passed", {
    message: `The call's deadline passed ${Math.ceil(lateMs)} ms ago, so it was not sent.`,
    details: { lateMs },
  });
}
