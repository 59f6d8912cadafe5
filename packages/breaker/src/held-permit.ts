import type { BreakerEntry } from "./breaker-entry.ts";
import type { Permit, PermitFacts, PermitOutcome, TaskWatch } from "./breaker-set-types.ts";
import type { CellEnd, CellPermit } from "./cell-types.ts";
import type { Tier } from "./parse-key.ts";
import type { Routed } from "./route-outcome.ts";
import type { Verdict } from "./trigger.ts";

/** One breaker's share in a permit. `source` names who below an umbrella holds it. */
export interface Holding {
  readonly entry: BreakerEntry;
  readonly permit: CellPermit;
  readonly source: string;
}

/** What a permit needs of its set. */
export interface PermitHome {
  /** A good call, with tokens that are sound: the everyday end. */
  finishGood(holdings: readonly Holding[], facts: PermitFacts): void;
  finish(holdings: readonly Holding[], ends: HoldingEnds): void;
  renew(holdings: readonly Holding[]): boolean;
}

export interface HoldingEnds {
  readonly outcome: PermitOutcome;
  readonly facts: PermitFacts;
  /** Whether a call leaves the in-flight count with it. */
  readonly isCall: boolean;
}

const nothing: readonly Holding[] = [];
const noFacts: PermitFacts = {};

/** A permit, and the admission that hands it out: one object for each call. */
export class HeldPermit implements Permit, TaskWatch {
  readonly allowed = true;
  readonly #home: PermitHome;
  readonly #isCall: boolean;
  #holdings: readonly Holding[];

  constructor(home: PermitHome, holdings: readonly Holding[], isCall: boolean) {
    this.#home = home;
    this.#holdings = holdings;
    this.#isCall = isCall;
  }

  get permit(): Permit {
    return this;
  }

  get isProbe(): boolean {
    return this.#holdings.some(({ permit }) => permit.kind === "probe");
  }

  end(outcome: PermitOutcome, facts: PermitFacts = noFacts): void {
    const holdings = this.#holdings;
    if (holdings.length === 0) return;
    this.#holdings = nothing;
    if (this.#isCall && isGoodCall(outcome, facts)) this.#home.finishGood(holdings, facts);
    else this.#home.finish(holdings, { outcome, facts, isCall: this.#isCall });
  }

  renew(): boolean {
    return this.#home.renew(this.#holdings);
  }
}

/** Whether a call came out well for every tier, with figures that are some: what nearly every call does. */
function isGoodCall(
  outcome: PermitOutcome,
  { tokens = 0, retryAfterMs = 0 }: PermitFacts,
): boolean {
  return isGoodForAll(outcome) && isSound(tokens) && isSound(retryAfterMs);
}

function isGoodForAll(outcome: PermitOutcome): boolean {
  if (typeof outcome === "string") return outcome === "success";
  const { tool, agent, provider } = outcome;
  return tool === "success" && agent === "success" && provider === "success";
}

/** What one holding's breaker is told. */
export function cellEnd({ entry, source }: Holding, ends: HoldingEnds, atMs: number): CellEnd {
  const { outcome, facts, isCall } = ends;
  return {
    atMs,
    unit: isCall ? "call" : "task",
    verdict: verdictFor(entry.parsed.tier, outcome),
    tokens: Math.round(numberOf(entry, facts.tokens)),
    completedProgress: facts.completedProgress ?? false,
    retryAfterMs: numberOf(entry, facts.retryAfterMs),
    source,
    envelopeTokens: facts.envelopeTokens,
    failureKind: typeof outcome === "string" ? undefined : outcome.failureKind,
  };
}

/** NaN would poison every sum and every cooldown after it; what is no number says nothing, and is counted. */
function numberOf({ counts }: BreakerEntry, value: number | undefined): number {
  if (value === undefined) return 0;
  if (isSound(value)) return value;
  counts.unsound += 1;
  return 0;
}

function isSound(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function verdictFor(tier: Tier, outcome: PermitOutcome): Verdict {
  if (outcome === "success") return "success";
  if (outcome === "giveBack") return "ignored";
  return tier === "chain" ? chainVerdict(outcome) : outcome[tier];
}

/** A chain is judged on burning; of a call's verdict it only takes that it came out well. */
function chainVerdict({ agent }: Routed): Verdict {
  return agent === "failure" ? "ignored" : agent;
}
