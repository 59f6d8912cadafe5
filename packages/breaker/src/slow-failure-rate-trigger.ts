import type { BreakerSettings } from "./breaker-settings.ts";
import { countsInRate, noHits } from "./trigger.ts";
import type { FailureTrigger, Sample, TriggerHit } from "./trigger.ts";

/**
 * BR-2 for slow traffic, whose outcomes never meet in one window: the same rate over the last `minRequestVolume`
 * outcomes, when they span more than the window and at most `slowSpan`.
 */
export class SlowFailureRateTrigger implements FailureTrigger {
  readonly #settings: BreakerSettings;
  readonly #size: number;
  readonly #times: Float64Array;
  readonly #failed: Uint8Array;
  readonly #sources: string[] | undefined;
  #next = 0;
  #total = 0;
  #failures = 0;

  constructor(options: { readonly settings: BreakerSettings; readonly isUmbrella: boolean }) {
    this.#settings = options.settings;
    this.#size = options.settings.minRequestVolume;
    this.#times = new Float64Array(this.#size);
    this.#failed = new Uint8Array(this.#size);
    this.#sources = options.isUmbrella ? [] : undefined;
  }

  get isCalm(): boolean {
    return this.#failures === 0;
  }

  /** As `observe` of a good call, while calm: no place holds a failure that would have to be taken out. */
  succeeded(atMs: number): void {
    this.#times[this.#next] = atMs;
    this.#moveOn();
  }

  observe(sample: Sample): void {
    if (!countsInRate(sample)) return;
    const isFailure = sample.verdict === "failure" ? 1 : 0;
    // A place not yet used holds 0, so the subtraction is right from the start.
    this.#failures += isFailure - (this.#failed[this.#next] ?? 0);
    this.#times[this.#next] = sample.atMs;
    this.#failed[this.#next] = isFailure;
    if (this.#sources !== undefined) this.#sources[this.#next] = sample.source;
    this.#moveOn();
  }

  hits(): readonly TriggerHit[] {
    const total = this.#size;
    if (this.#total < total) return noHits;
    if (this.#failures / total < this.#settings.failureRateThreshold) return noHits;
    const spanMs = this.#newestMs() - (this.#times[this.#next] ?? 0);
    if (spanMs <= this.#settings.windowSize || spanMs > this.#settings.slowSpan) return noHits;
    if (!this.#haveSeveralFailed()) return noHits;
    return [{ trigger: "slow_failure_rate", figures: { failures: this.#failures, total, spanMs } }];
  }

  clear(): void {
    this.#failed.fill(0);
    this.#next = 0;
    this.#total = 0;
    this.#failures = 0;
  }

  #moveOn(): void {
    const size = this.#size;
    this.#next = this.#next + 1 === size ? 0 : this.#next + 1;
    if (this.#total < size) this.#total += 1;
  }

  #newestMs(): number {
    const newest = (this.#next + this.#times.length - 1) % this.#times.length;
    return this.#times[newest] ?? 0;
  }

  #haveSeveralFailed(): boolean {
    if (this.#sources === undefined) return true;
    const failing = this.#sources.filter((_source, index) => this.#failed[index] === 1);
    return new Set(failing).size >= 2;
  }
}
