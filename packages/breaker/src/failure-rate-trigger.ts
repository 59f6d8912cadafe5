import type { BreakerSettings } from "./breaker-settings.ts";
import { FailingSources } from "./failing-sources.ts";
import type { RingWindow } from "./ring-window.ts";
import { noHits } from "./trigger.ts";
import type { FailureTrigger, Sample, TriggerHit } from "./trigger.ts";

/** BR-2: too large a share of the window failed. The breaker keeps the window; this only reads it. */
export class FailureRateTrigger implements FailureTrigger {
  readonly #settings: BreakerSettings;
  readonly #window: RingWindow;
  readonly #sources: FailingSources | undefined;

  constructor(options: {
    readonly settings: BreakerSettings;
    readonly window: RingWindow;
    readonly isUmbrella: boolean;
  }) {
    this.#settings = options.settings;
    this.#window = options.window;
    this.#sources = options.isUmbrella ? new FailingSources() : undefined;
  }

  get isCalm(): boolean {
    return this.#window.failures === 0;
  }

  observe(sample: Sample): void {
    if (sample.verdict === "failure") {
      this.#sources?.failed(sample.source, Math.floor(sample.atMs / 1000));
    }
  }

  hits(nowMs: number): readonly TriggerHit[] {
    const { failures, successes } = this.#window;
    const total = failures + successes;
    if (total < this.#settings.minRequestVolume) return noHits;
    // Division, not multiplication: 3/10 and the literal 0.3 are the same double, 0.1 × 3 and 0.3 are not.
    if (failures / total < this.#settings.failureRateThreshold) return noHits;
    const oldestSecond = Math.floor(nowMs / 1000) - this.#settings.windowSize / 1000 + 1;
    if (this.#sources?.areSeveralSince(oldestSecond) === false) return noHits;
    return [{ trigger: "failure_rate", figures: { failures, total } }];
  }

  clear(): void {
    this.#sources?.clear();
  }
}
