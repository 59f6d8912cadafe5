import type { EndCause, Stop } from "@bridle/protocol";

export interface StopRule {
  readonly guard: Stop["guard"];
  readonly rule: string;
  readonly hint: string;
}

/** Who stepped in, by which rule, and what a person can do: one row per end cause. */
export const stopRules: Readonly<Record<EndCause, StopRule>> = {
  agent_error: {
    guard: "none",
    rule: "agent",
    hint: "The agent threw. Fix it or its input, then submit again.",
  },
  output_invalid: {
    guard: "none",
    rule: "agent.output",
    hint: "The agent returned something that is not the output it declares. Fix it, then submit again.",
  },
  model_failed: {
    guard: "none",
    rule: "llm",
    hint: "The model call failed after its retries. Look at the provider and the model's name, then submit again.",
  },
  step_timeout: {
    guard: "watchdog",
    rule: "WD-8",
    hint: "One call took longer than its timeout. Raise timeout.step if such calls are expected, then submit again.",
  },
  task_timeout: {
    guard: "watchdog",
    rule: "timeout.task",
    hint: "The attempt took longer than timeout.task. Raise it or split the task, then submit again.",
  },
  stalled: {
    guard: "watchdog",
    rule: "WD-5",
    hint: "The task sent beats without advancing. Look at its last step; report progress if it was working.",
  },
  loop: {
    guard: "watchdog",
    rule: "WD-18",
    hint: "The task repeated itself. Look at its last steps, then change the agent.",
  },
  wait_cycle: {
    guard: "watchdog",
    rule: "WD-7",
    hint: "Tasks wait for each other; break the circle.",
  },
  worker_lost: {
    guard: "scheduler",
    rule: "WD-17",
    hint: "The worker stopped or lost the store. Start a worker, then submit again.",
  },
  handed_back: {
    guard: "scheduler",
    rule: "B176",
    hint: "Workers gave the task back again and again: they shut down, or the store was away. See what ends them, then submit again.",
  },
  child_crashed: {
    guard: "none",
    rule: "X3",
    hint: "The agent's process ended on its own. Its exit code and last words are in the evidence.",
  },
  beats_lost: {
    guard: "scheduler",
    rule: "liveness",
    hint: "No sign of the task arrived, although its worker lived. Submit again.",
  },
  budget_refused: {
    guard: "budget",
    rule: "BU-9",
    hint: "The envelope cannot pay for the next step. Raise the workflow's budget and submit again, or accept what is there.",
  },
  budget_unavailable: {
    guard: "budget",
    rule: "BU-21",
    hint: "The ledger did not answer, so nothing was spent. It is tried again by itself.",
  },
  breaker_open: {
    guard: "breaker",
    rule: "BR-6",
    hint: "What the task needs keeps failing; no request was sent. It goes on when the breaker closes.",
  },
  limit: {
    guard: "limits",
    rule: "WD-1",
    hint: "The task reached a limit that bounds every task. Look for a loop, or raise the limit.",
  },
  unsafe_to_retry: {
    guard: "scheduler",
    rule: "L20",
    hint: "A step with side effects began and nobody knows whether it took effect. Look outside whether it happened, then submit again.",
  },
  agent_broken: {
    guard: "none",
    rule: "agent.start",
    hint: "The agent's module cannot be started. Fix the file and line named in the message.",
  },
  expression_failed: {
    guard: "none",
    rule: "expressions",
    hint: "An expression of the workflow failed on this run's data. Correct the workflow.",
  },
  cancelled: {
    guard: "user",
    rule: "cancel",
    hint: "Nothing to do: it was cancelled.",
  },
};

/** Limits share a cause; their rule tells them apart. */
const limitRules: Readonly<Record<string, Pick<StopRule, "guard" | "rule">>> = {
  rate_governed: { guard: "governor", rule: "GV-1" },
  step_limit: { guard: "limits", rule: "limits.maxStepsPerTask" },
  spawn_limit: { guard: "limits", rule: "LF-8" },
  output_too_large: { guard: "limits", rule: "limits.outputBytes" },
};

export function stopRuleOf(cause: EndCause, code: string): StopRule {
  const rule = stopRules[cause];
  return cause === "limit" ? { ...rule, ...limitRules[code] } : rule;
}
