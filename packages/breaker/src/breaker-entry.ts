import type { Random, TimerHandle } from "@bridle/kernel";

import type { BreakerSettings } from "./breaker-settings.ts";
import type { BreakerState, CellPermit, Forcing } from "./cell-types.ts";
import { OperatedCell } from "./operated-cell.ts";
import type { ParsedKey, Tier } from "./parse-key.ts";
import type { WindowTotals } from "./ring-window.ts";

/** What never entered the window, counted apart (BR-7), and what came too late (BR-6). */
export interface BreakerCounts {
  /** Calls this breaker refused. */
  readonly refused: number;
  /** Calls it would have refused, had it been enforced. */
  readonly wouldRefuse: number;
  /** Permits that came back without a verdict. */
  readonly givenBack: number;
  readonly budgetRefused: number;
  readonly cached: number;
  readonly late: number;
  /** Figures of ended calls that were none: NaN, negative, infinite. They say nothing. */
  readonly unsound: number;
}

/** A breaker for people and APIs. Instants are wall ms. */
export interface BreakerView {
  readonly key: string;
  readonly tier: Tier;
  readonly isUmbrella: boolean;
  readonly state: BreakerState;
  /** Since when it is in this state; undefined: since it is known. */
  readonly since: number | undefined;
  /** Whether a call would be let through as a probe now. */
  readonly probeEligible: boolean;
  readonly retryAfterMs: number;
  readonly openCount: number;
  readonly totals: WindowTotals;
  readonly consecutiveFailures: number;
  readonly inFlight: number;
  readonly counts: BreakerCounts;
  readonly forcing: Forcing | undefined;
}

export interface EntryOptions {
  readonly parsed: ParsedKey;
  readonly settings: BreakerSettings;
  readonly random: Random;
}

/** One key of a set: its breaker and what is counted around it. */
export class BreakerEntry {
  readonly parsed: ParsedKey;
  readonly cell: OperatedCell;
  readonly counts = {
    refused: 0,
    wouldRefuse: 0,
    givenBack: 0,
    budgetRefused: 0,
    cached: 0,
    unsound: 0,
  };
  readonly #inFlightCap: number;
  inFlight = 0;
  lastUsedMs = Number.NEGATIVE_INFINITY;
  timer: TimerHandle | undefined;
  /** What the timer waits for, in monotonic ms. */
  armedForMs: number | undefined;

  constructor({ parsed, settings, random }: EntryOptions) {
    const { tier, isUmbrella } = parsed;
    this.parsed = parsed;
    this.cell = new OperatedCell({ settings, tier, isUmbrella, random });
    const isCapped = tier === "provider" && !isUmbrella;
    this.#inFlightCap = isCapped ? settings.inFlightCap : Number.POSITIVE_INFINITY;
  }

  /** BR-16: failures that show only after a timeout must not let thousands of calls out before. */
  get isFull(): boolean {
    return this.inFlight >= this.#inFlightCap;
  }

  /** Whether a call would be given this permit again, whatever the time, and change nothing. */
  isStillGiven(permit: CellPermit): boolean {
    return !this.isFull && this.cell.isStillGiven(permit);
  }

  /** Whether forgetting it changes no decision that anybody still waits for. */
  isForgettable(nowMs: number, idleMs: number): boolean {
    const isIdle = nowMs - this.lastUsedMs >= idleMs && this.inFlight === 0;
    return isIdle && this.cell.forcing === undefined && this.cell.dueMs === undefined;
  }

  view(nowMs: number, wallMs: number): BreakerView {
    const { cell, parsed } = this;
    const answer = cell.check(nowMs);
    const { machine, sinceMs } = cell;
    machine.evidence.roll(nowMs, machine.state === "CLOSED");
    return {
      key: parsed.key,
      tier: parsed.tier,
      isUmbrella: parsed.isUmbrella,
      state: cell.state,
      since: Number.isFinite(sinceMs) ? wallMs - (nowMs - sinceMs) : undefined,
      probeEligible: machine.state === "HALF_OPEN" && answer.admitted,
      retryAfterMs: answer.admitted ? 0 : answer.retryAfterMs,
      openCount: machine.openCount,
      totals: machine.evidence.totals,
      consecutiveFailures: machine.evidence.consecutiveFailures,
      inFlight: this.inFlight,
      counts: { ...this.counts, late: machine.late },
      forcing: cell.forcing,
    };
  }
}
