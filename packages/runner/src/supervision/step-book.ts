import type { CodedError } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";
import type { EventOf, JournalEvent, Spender } from "@bridle/protocol";

export type StepKind = EventOf<"step.started">["kind"];

export interface Step {
  readonly number: number;
  readonly kind: StepKind;
  /** The model's, tool's or step's name. */
  readonly key: string;
  readonly startedMs: number;
}

export interface StepFacts {
  readonly outcome: EventOf<"step.finished">["outcome"];
  readonly code?: string | undefined;
  readonly model?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly nanoUsd?: number | undefined;
  readonly degraded?: string[] | undefined;
}

export interface StepBookOptions {
  readonly spender: Spender;
  readonly traceId: string;
  readonly clock: Clock;
  readonly maxSteps: number;
  readonly journal: (event: JournalEvent) => void;
  /** Contract: called at each try beyond the limit. */
  readonly onLimit: (error: CodedError) => void;
}

/** Numbers an attempt's steps from 1 and writes each one's beginning and end (O2). Retries of a call share its step. */
export class StepBook {
  readonly #options: StepBookOptions;
  #count = 0;

  constructor(options: StepBookOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  /** Throws `step_limit` beyond the limit. */
  begin(kind: StepKind, key: string): Step {
    const { spender, traceId, clock, maxSteps, journal, onLimit } = this.#options;
    if (this.#count >= maxSteps) {
      const error = bridleError("step_limit", {
        message: `The task has taken ${maxSteps} steps, as many as it may.`,
        details: { maxSteps },
      });
      onLimit(error);
      throw error;
    }
    const step = { number: ++this.#count, kind, key, startedMs: clock.monotonicMs() };
    const at = clock.wallMs();
    journal({ type: "step.started", ...spender, traceId, at, step: step.number, kind, key });
    return step;
  }

  finish({ number, kind, key, startedMs }: Step, facts: StepFacts): void {
    const { spender, traceId, clock, journal } = this.#options;
    const { nanoUsd, ...rest } = facts;
    journal({
      type: "step.finished",
      ...spender,
      traceId,
      at: clock.wallMs(),
      step: number,
      kind,
      key,
      durationMs: Math.max(0, Math.round(clock.monotonicMs() - startedMs)),
      ...withoutUndefined(rest),
      ...(nanoUsd === undefined ? {} : { nanoUsd: String(nanoUsd) }),
    });
  }
}

/** Optional fields of an event are left out, not set to undefined: they are compared and stored as JSON. */
function withoutUndefined(facts: Omit<StepFacts, "nanoUsd">): Pick<StepFacts, "outcome"> {
  const kept = Object.entries(facts).filter(([, value]) => value !== undefined);
  return { outcome: facts.outcome, ...Object.fromEntries(kept) };
}

const refused = new Set([
  "rate_governed",
  "breaker_open",
  "budget_refused",
  "budget_exhausted_degraded",
  "budget_unavailable",
  "price_unknown",
  "envelope_closed",
  "fenced",
  "step_limit",
  "loop_blocked",
  "deadline_passed",
  "spawn_limit",
  "spawn_invalid",
  "spawn_undeclared",
  "spawn_conflict",
]);
const cancelled = new Set([
  "cancelled",
  "task_timeout",
  "task_stalled",
  "task_loop",
  "wait_cycle",
  "shutting_down",
]);

/** How a step ended that threw this. */
export function stepOutcomeOf(code: string): StepFacts["outcome"] {
  if (refused.has(code)) return "refused";
  return cancelled.has(code) ? "cancelled" : "failure";
}
