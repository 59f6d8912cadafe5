import type { BreakerSettings } from "./breaker-settings.ts";
import { noHits } from "./trigger.ts";
import type { FailureTrigger, Sample, TriggerHit } from "./trigger.ts";

/**
 * BR-3: failures in a row. A counter of its own: no minimum of calls, no window, no ageing; ignored outcomes leave it
 * alone and a success resets it.
 *
 * A breaker has two: one over everything, reset by a call that came out well, and one over the ends of tasks, reset by a
 * completed task. An agent that loops makes many good calls before each stall; those must not hide five stalls in a row.
 */
export class ConsecutiveFailuresTrigger implements FailureTrigger {
  readonly #limit: number;
  readonly #isUmbrella: boolean;
  readonly #overTasks: boolean;
  #count = 0;
  #firstSource = "";
  #isMixed = false;

  constructor(options: {
    readonly settings: BreakerSettings;
    readonly isUmbrella: boolean;
    readonly overTasks: boolean;
  }) {
    this.#limit = options.settings.consecutiveFailures;
    this.#isUmbrella = options.isUmbrella;
    this.#overTasks = options.overTasks;
  }

  get count(): number {
    return this.#count;
  }

  get isCalm(): boolean {
    return this.#count === 0;
  }

  observe(sample: Sample): void {
    if (sample.verdict === "ignored" || (this.#overTasks && sample.unit === "call")) return;
    if (sample.verdict === "success") {
      if (this.#overTasks || sample.unit === "call") this.clear();
      return;
    }
    if (this.#count === 0) this.#firstSource = sample.source;
    else this.#isMixed ||= sample.source !== this.#firstSource;
    this.#count += 1;
  }

  hits(): readonly TriggerHit[] {
    if (this.#count < this.#limit || (this.#isUmbrella && !this.#isMixed)) return noHits;
    const trigger = this.#overTasks ? "consecutive_task_failures" : "consecutive_failures";
    return [{ trigger, figures: { failures: this.#count } }];
  }

  clear(): void {
    this.#count = 0;
    this.#isMixed = false;
  }
}
