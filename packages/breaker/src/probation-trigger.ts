import type { BreakerSettings } from "./breaker-settings.ts";
import { countsInRate, noHits } from "./trigger.ts";
import type { FailureTrigger, Sample, TriggerHit } from "./trigger.ts";

/** BR-10: the first calls after CLOSED re-open at a few failures, for what has just recovered may not have. */
export class ProbationTrigger implements FailureTrigger {
  readonly #settings: BreakerSettings;
  #callsLeft = 0;
  #failures = 0;

  constructor(options: { readonly settings: BreakerSettings }) {
    this.#settings = options.settings;
  }

  /** Call on HALF_OPEN → CLOSED, after `clear`. */
  begin(): void {
    this.#callsLeft = this.#settings.probationCalls;
  }

  get isCalm(): boolean {
    return this.#callsLeft === 0 && this.#failures === 0;
  }

  observe(sample: Sample): void {
    if (!countsInRate(sample) || this.#callsLeft === 0) return;
    this.#callsLeft -= 1;
    if (sample.verdict === "failure") this.#failures += 1;
  }

  hits(): readonly TriggerHit[] {
    if (this.#failures < this.#settings.probationFailures) return noHits;
    return [{ trigger: "probation", figures: { failures: this.#failures } }];
  }

  clear(): void {
    this.#callsLeft = 0;
    this.#failures = 0;
  }
}
