import type { BreakerSettings } from "./breaker-settings.ts";
import { BurnTrigger } from "./burn-trigger.ts";
import { ConsecutiveFailuresTrigger } from "./consecutive-failures-trigger.ts";
import { FailureRateTrigger } from "./failure-rate-trigger.ts";
import type { Tier } from "./parse-key.ts";
import { ProbationTrigger } from "./probation-trigger.ts";
import { RingWindow } from "./ring-window.ts";
import type { WindowTotals } from "./ring-window.ts";
import { SlowFailureRateTrigger } from "./slow-failure-rate-trigger.ts";
import { countsInRate, noHits } from "./trigger.ts";
import type { FailureTrigger, Sample, Trigger, TriggerHit, Verdict } from "./trigger.ts";

export interface EvidenceOptions {
  readonly settings: BreakerSettings;
  readonly tier: Tier;
  /** BR-13: opens only on failures of at least two sources, and never on burning. */
  readonly isUmbrella: boolean;
}

/**
 * What a breaker knows of its calls: one window, and the triggers that apply to its tier. Fed only while CLOSED.
 *
 * While no failure is known it is calm: then a good call is only counted, and no trigger but burning is asked, for none
 * could match. Nearly every call of a sound system is of this kind, so its cost is the breaker's cost.
 */
export class Evidence {
  readonly #window: RingWindow;
  readonly #slow: SlowFailureRateTrigger;
  readonly #consecutive: ConsecutiveFailuresTrigger;
  readonly #probation: ProbationTrigger;
  readonly #burn: BurnTrigger | undefined;
  readonly #failureTriggers: readonly FailureTrigger[];
  readonly #triggers: readonly Trigger[];
  #isCalm = true;

  constructor({ settings, tier, isUmbrella }: EvidenceOptions) {
    const window = new RingWindow(settings.windowSize / 1000);
    this.#window = window;
    this.#consecutive = new ConsecutiveFailuresTrigger({ settings, isUmbrella, overTasks: false });
    this.#probation = new ProbationTrigger({ settings });
    const burns = (tier === "agent" || tier === "chain") && !isUmbrella;
    this.#burn = burns ? new BurnTrigger({ settings, window }) : undefined;
    this.#slow = new SlowFailureRateTrigger({ settings, isUmbrella });
    const failureTriggers = [
      new FailureRateTrigger({ settings, window, isUmbrella }),
      this.#slow,
      this.#consecutive,
      new ConsecutiveFailuresTrigger({ settings, isUmbrella, overTasks: true }),
      this.#probation,
    ];
    this.#failureTriggers = tier === "chain" ? [] : failureTriggers;
    this.#triggers = [...this.#failureTriggers, ...(this.#burn === undefined ? [] : [this.#burn])];
  }

  /** Ages the window. Outside CLOSED what leaves it is not history: the baseline is frozen (BR-4). */
  roll(nowMs: number, isClosed: boolean): void {
    const evicted = this.#window.roll(Math.floor(nowMs / 1000));
    if (isClosed && evicted.seconds > 0) this.#burn?.absorb(evicted);
  }

  /** `roll`, `observe` and `hits` in one for a good call while calm; undefined, and nothing is counted, otherwise. */
  countGood(
    atMs: number,
    tokens: number,
    envelopeTokens: number | undefined,
  ): readonly TriggerHit[] | undefined {
    if (!this.#isCalm) return undefined;
    if (!this.#window.isPresent(atMs)) this.roll(atMs, true);
    this.#window.addSuccess();
    if (tokens > 0) this.#window.addTokens(tokens);
    this.#slow.succeeded(atMs);
    if (this.#burn === undefined) return noHits;
    this.#burn.take(tokens, envelopeTokens);
    return this.#burn.hits();
  }

  /** Takes one outcome of a call that left; roll first. */
  observe(sample: Sample): void {
    if (countsInRate(sample)) this.#count(sample.verdict);
    if (sample.tokens > 0) this.#window.addTokens(sample.tokens);
    for (const trigger of this.#triggers) trigger.observe(sample);
    this.#feel();
  }

  /** Every trigger that matches now, not only the first (BR-5). */
  hits(nowMs: number): readonly TriggerHit[] {
    let all: TriggerHit[] | undefined;
    for (const trigger of this.#triggers) {
      const hits = trigger.hits(nowMs);
      if (hits.length > 0) all = [...(all ?? []), ...hits];
    }
    return all ?? noHits;
  }

  clear(): void {
    this.#window.clear();
    for (const trigger of this.#triggers) trigger.clear();
    this.#feel();
  }

  beginProbation(): void {
    this.#probation.begin();
    this.#feel();
  }

  get totals(): WindowTotals {
    const { successes, failures, tokens, tokenCalls } = this.#window;
    return { successes, failures, tokens, tokenCalls };
  }

  get consecutiveFailures(): number {
    return this.#consecutive.count;
  }

  get probeTokenLimit(): number {
    return this.#burn?.probeLimit ?? Number.POSITIVE_INFINITY;
  }

  #count(verdict: Verdict): void {
    if (verdict === "failure") this.#window.addFailure();
    else this.#window.addSuccess();
  }

  #feel(): void {
    this.#isCalm = this.#failureTriggers.every(({ isCalm }) => isCalm);
  }
}
