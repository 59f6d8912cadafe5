import type { FailedTaskStatus } from "./states.ts";

/** What one cause of an attempt's end means, when the task's own policy does not say otherwise. */
export interface EndRule {
  /** The task's state when it is not tried again. */
  readonly terminal: FailedTaskStatus | "CANCELLED" | "PARKED";
  readonly retried: boolean;
  readonly spendsAttempt: boolean;
  /** Most tries after which the cause is terminal although it spends no attempt. */
  readonly ownCap?: number;
  /** Which breaker tier the end itself counts against; model and tool outcomes are recorded per call. */
  readonly breakerTick: "agent" | "none";
}

/**
 * What ends a task: one row per cause. A cause that spends no attempt is retried without touching `retry.maxAttempts`.
 * `step_timeout` ticks the tool or provider at the call itself, hence "none" here.
 */
export const endCauses = {
  agent_error: { terminal: "FAILED", retried: true, spendsAttempt: true, breakerTick: "none" },
  output_invalid: { terminal: "FAILED", retried: true, spendsAttempt: true, breakerTick: "none" },
  model_failed: { terminal: "FAILED", retried: true, spendsAttempt: true, breakerTick: "none" },
  step_timeout: { terminal: "FAILED", retried: true, spendsAttempt: true, breakerTick: "none" },
  task_timeout: {
    terminal: "TIMED_OUT",
    retried: false,
    spendsAttempt: false,
    breakerTick: "agent",
  },
  stalled: { terminal: "FAILED", retried: false, spendsAttempt: false, breakerTick: "agent" },
  loop: { terminal: "FAILED", retried: false, spendsAttempt: false, breakerTick: "agent" },
  wait_cycle: { terminal: "FAILED", retried: false, spendsAttempt: false, breakerTick: "agent" },
  worker_lost: {
    terminal: "CRASHED",
    retried: true,
    spendsAttempt: false,
    ownCap: 2,
    breakerTick: "none",
  },
  /** Its worker, alive, gave it back: it shuts down or has lost the store. Nobody's crash; the cap only bounds a fleet gone mad. */
  handed_back: {
    terminal: "CRASHED",
    retried: true,
    spendsAttempt: false,
    ownCap: 100,
    breakerTick: "none",
  },
  child_crashed: {
    terminal: "CRASHED",
    retried: true,
    spendsAttempt: false,
    ownCap: 2,
    breakerTick: "none",
  },
  beats_lost: {
    terminal: "CRASHED",
    retried: true,
    spendsAttempt: false,
    ownCap: 2,
    breakerTick: "none",
  },
  budget_refused: {
    terminal: "BUDGET_EXCEEDED",
    retried: false,
    spendsAttempt: false,
    breakerTick: "none",
  },
  budget_unavailable: {
    terminal: "CRASHED",
    retried: true,
    spendsAttempt: false,
    ownCap: 10,
    breakerTick: "none",
  },
  breaker_open: { terminal: "PARKED", retried: true, spendsAttempt: false, breakerTick: "none" },
  limit: { terminal: "FAILED", retried: false, spendsAttempt: false, breakerTick: "agent" },
  unsafe_to_retry: {
    terminal: "FAILED",
    retried: false,
    spendsAttempt: false,
    breakerTick: "none",
  },
  agent_broken: { terminal: "FAILED", retried: false, spendsAttempt: false, breakerTick: "none" },
  expression_failed: {
    terminal: "FAILED",
    retried: false,
    spendsAttempt: false,
    breakerTick: "none",
  },
  cancelled: { terminal: "CANCELLED", retried: false, spendsAttempt: false, breakerTick: "none" },
} as const satisfies Record<string, EndRule>;

export type EndCause = keyof typeof endCauses;

export const endCauseNames = Object.keys(endCauses) as readonly EndCause[];
