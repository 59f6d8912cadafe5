/**
 * BR-4: tokens burn faster than this key's own history. Two signals: the window against the mean of everything before
 * it, and one call against the median of earlier ones.
 *
 * 1. The baseline never holds what is judged by it: the window enters history as it leaves the window, a call enters the
 *    median after it was compared.
 * 2. The breaker feeds it only while CLOSED, so an episode neither spoils nor resets the baseline.
 * 3. More calls of the usual size are traffic, not burning: that is the governor's and the envelope's business.
 */
import type { BreakerSettings } from "./breaker-settings.ts";
import type { Evicted, RingWindow } from "./ring-window.ts";
import { RunningMedian } from "./running-median.ts";
import { noHits } from "./trigger.ts";
import type { Sample, Trigger, TriggerHit } from "./trigger.ts";

/** BR-4's numbers that nobody has had a reason to set. */
const medianOf = 1000;
const warmUpCalls = 10;
const warmUpWindows = 2;
const biggerCalls = 1.5;

export class BurnTrigger implements Trigger {
  readonly #settings: BreakerSettings;
  readonly #window: RingWindow;
  readonly #history = { seconds: 0, tokens: 0, calls: 0 };
  readonly #calls = new RunningMedian(medianOf);
  #callRatio = 0;
  #callTokens = 0;
  #floor = 0;

  constructor(options: { readonly settings: BreakerSettings; readonly window: RingWindow }) {
    this.#settings = options.settings;
    this.#window = options.window;
  }

  /** What just left the window, while CLOSED. */
  absorb(evicted: Evicted): void {
    this.#history.seconds += evicted.seconds;
    this.#history.tokens += evicted.tokens;
    this.#history.calls += evicted.tokenCalls;
  }

  observe({ tokens, envelopeTokens }: Sample): void {
    this.take(tokens, envelopeTokens);
  }

  /** `observe`, of all that burning is judged by. */
  take(tokens: number, envelopeTokens: number | undefined): void {
    this.#floor = this.#floorFor(envelopeTokens);
    this.#callTokens = tokens;
    this.#callRatio = 0;
    if (tokens === 0) return;
    if (this.#calls.size >= warmUpCalls) this.#callRatio = tokens / this.#calls.value;
    this.#calls.push(tokens);
  }

  hits(): readonly TriggerHit[] {
    if (this.#window.tokens < this.#floor) return noHits;
    const rate = this.#rateHits();
    const call = this.#callHits();
    if (rate.length === 0) return call;
    return call.length === 0 ? rate : [...rate, ...call];
  }

  /** Forgets the call in hand; the baseline stays (BR-8). */
  clear(): void {
    this.#callRatio = 0;
    this.#callTokens = 0;
  }

  /** BR-10: the most tokens with which a probe of a burn-opened breaker succeeds. */
  get probeLimit(): number {
    if (this.#calls.size === 0) return Number.POSITIVE_INFINITY;
    return this.#settings.budgetBurnRate * this.#calls.value;
  }

  /** The smaller of the two: 1 % of a small envelope is worth a stop where 20,000 tokens are never reached. */
  #floorFor(envelopeTokens: number | undefined): number {
    const { burnFloorTokens, burnFloorShare } = this.#settings;
    if (envelopeTokens === undefined) return burnFloorTokens;
    return Math.min(burnFloorTokens, burnFloorShare * envelopeTokens);
  }

  #rateHits(): readonly TriggerHit[] {
    const { seconds, tokens, calls } = this.#history;
    const windowSeconds = this.#settings.windowSize / 1000;
    const isWarm = seconds >= warmUpWindows * windowSeconds && calls >= warmUpCalls && tokens > 0;
    if (!isWarm || !this.#isBurning(windowSeconds)) return noHits;
    const perSecond = seconds / windowSeconds;
    const figures = {
      windowTokens: this.#window.tokens,
      tokenRatio: (this.#window.tokens * perSecond) / tokens,
      trafficRatio: (this.#window.tokenCalls * perSecond) / calls,
    };
    return [{ trigger: "burn_rate", figures }];
  }

  /** Compares products of integers: quotients would differ in the last digit and call plain traffic burning. */
  #isBurning(windowSeconds: number): boolean {
    const { seconds, tokens, calls } = this.#history;
    const { tokens: windowTokens, tokenCalls } = this.#window;
    const rate = this.#settings.budgetBurnRate * windowSeconds;
    if (windowTokens * seconds < rate * tokens) return false;
    const isMoreTraffic = tokenCalls * seconds >= rate * calls;
    const areBiggerCalls = windowTokens * calls >= biggerCalls * tokenCalls * tokens;
    return !isMoreTraffic || areBiggerCalls;
  }

  #callHits(): readonly TriggerHit[] {
    if (this.#callRatio < this.#settings.budgetBurnRate) return noHits;
    const figures = { callTokens: this.#callTokens, medianRatio: this.#callRatio };
    return [{ trigger: "burn_call", figures }];
  }
}
