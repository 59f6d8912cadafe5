/** One outcome, as a CLOSED breaker sees it. */
export interface Sample {
  readonly atMs: number;
  /** `call`: a wire call that left (BR-15). `task`: the end of a whole task, which is no call. */
  readonly unit: "call" | "task";
  readonly verdict: Verdict;
  /** 0: none reported. */
  readonly tokens: number;
  /** Who under an umbrella it came from: the workflow or the model. Empty for a narrow key. */
  readonly source: string;
  /** Tokens the caller's envelope allows in all, when known. */
  readonly envelopeTokens: number | undefined;
}

/** What an outcome says about one tier (BR-14). */
export type Verdict = "success" | "failure" | "ignored";

const triggerNames = [
  "failure_rate",
  "slow_failure_rate",
  "consecutive_failures",
  "consecutive_task_failures",
  "burn_rate",
  "burn_call",
  "probation",
  "probe_failed",
  "probe_lapsed",
  "forced",
] as const;
export type TriggerName = (typeof triggerNames)[number];

/** Why it opened, with the figures that decided. */
export interface TriggerHit {
  readonly trigger: TriggerName;
  readonly figures: Readonly<Record<string, number | string>>;
}

/**
 * One way of counting. A breaker asks each of its triggers after each outcome, and opens when any answers; so a new
 * rule is one new file. All are O(1), or logarithmic, per outcome.
 */
export interface Trigger {
  observe(sample: Sample): void;
  hits(nowMs: number): readonly TriggerHit[];
  /** On CLOSED: what a past episode counted must not open the next one (BR-8). */
  clear(): void;
}

/** One that counts failures, and so has nothing to say while it knows of none. */
export interface FailureTrigger extends Trigger {
  /** True: no good call, however many, makes it match or leaves it another than it is. Its record of times is apart. */
  readonly isCalm: boolean;
}

export const noHits: readonly TriggerHit[] = [];

/** BR-15: rates are over wire calls. A task that ended badly counts as one failure more, a completed one is no call. */
export function countsInRate({ unit, verdict }: Sample): boolean {
  return verdict === "failure" || (verdict === "success" && unit === "call");
}
