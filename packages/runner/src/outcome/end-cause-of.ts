import type { EndCause, ErrorCode } from "@bridle/protocol";

/** Which row of "what ends a task" an error belongs to when an agent lets it pass or its supervisor raises it. */
const causes: Partial<Record<ErrorCode, EndCause>> = {
  budget_refused: "budget_refused",
  budget_exhausted_degraded: "budget_refused",
  price_unknown: "budget_refused",
  budget_unavailable: "budget_unavailable",
  breaker_open: "breaker_open",
  rate_governed: "limit",
  step_limit: "limit",
  output_too_large: "limit",
  spawn_limit: "limit",
  output_invalid: "output_invalid",
  unsafe_to_retry: "unsafe_to_retry",
  agent_broken: "agent_broken",
  agent_unknown: "agent_broken",
  child_crashed: "child_crashed",
  frame_invalid: "child_crashed",
  step_timeout: "step_timeout",
  // The call layer's own clock over the same step, after its retries (WD-9).
  model_timeout: "step_timeout",
  task_timeout: "task_timeout",
  deadline_passed: "task_timeout",
  task_stalled: "stalled",
  task_loop: "loop",
  loop_blocked: "loop",
  wait_cycle: "wait_cycle",
  worker_lost: "worker_lost",
  shutting_down: "handed_back",
  store_unavailable: "handed_back",
  cancelled: "cancelled",
  envelope_closed: "cancelled",
  fenced: "cancelled",
};

/** Everything without a row of its own is the model's failure or the agent's. */
export function endCauseOf(code: string): EndCause {
  const cause = (causes as Readonly<Record<string, EndCause>>)[code];
  if (cause !== undefined) return cause;
  return code.startsWith("model_") ? "model_failed" : "agent_error";
}
