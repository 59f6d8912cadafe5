import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { Stop } from "@bridle/protocol";

/** A stop decided here rather than by a guard. The core knows no ledger: the shell fills in `spent`, `reserved`, `limit`. */
function stopOf(fields: Omit<Stop, "spent" | "reserved" | "limit" | "partialOutput">): Stop {
  const none = toWireAmounts(noAmounts);
  return { ...fields, spent: none, reserved: none, limit: none };
}

export function lostStop(bootId: string, attempt: number): Stop {
  return stopOf({
    reason: "worker_lost",
    guard: "scheduler",
    rule: "worker lease",
    evidence: { bootId, attempt },
    resumable: false,
    hint: "The worker that ran the task is gone and stayed gone over the retries. Check whether the task exhausts its memory.",
  });
}

export function breakerStop(breaker: string, parkedMs: number): Stop {
  return stopOf({
    reason: "breaker_open",
    guard: "breaker",
    rule: "BR-17",
    evidence: { breaker, parkedMs },
    resumable: false,
    hint: "The breaker stayed open for as long as a task may be parked. Submit again once its target is healthy.",
  });
}

export function expressionStop(code: string, message: string): Stop {
  return stopOf({
    reason: "expression_failed",
    guard: "none",
    rule: "expressions",
    evidence: { code, message },
    resumable: false,
    hint: "Correct the expression or the data it reads, then submit again.",
  });
}

export function runTimeoutStop(timeoutMs: number): Stop {
  return stopOf({
    reason: "run_timeout",
    guard: "watchdog",
    rule: "timeout.run",
    evidence: { timeoutMs },
    resumable: false,
    hint: "Raise timeout.run, or split the workflow.",
  });
}

export function cancelStop(evidence: Readonly<Record<string, unknown>>): Stop {
  return stopOf({
    reason: "cancelled",
    guard: "user",
    rule: "cancel",
    evidence: { ...evidence },
    resumable: false,
    hint: "Somebody cancelled it. Submit again to start over.",
  });
}
