/**
 * From what an author writes to the terms of an envelope: the one rule, for whoever compiles a workflow and for whoever uses a ledger
 * alone.
 *
 * 1. A run without limits gets the defaults; `unlimited` must be written out (BU-3).
 * 2. A task's limits are caps; what it does not state is bounded by its run alone, so that a raise there is enough (BU-4).
 * 3. An installation's day has a default as well; a key's day is as long as its installation's where nothing is said.
 * 4. How the credit is used is the run's word, for all its levels (BU-9).
 */
import type { Amounts } from "./amounts.ts";
import { bridleError } from "./bridle-error.ts";
import { defaultLimits } from "./defaults.ts";
import type { EnvelopeTerms } from "./ledger-types.ts";
import { parseUsd } from "./parse-usd.ts";

/** `unlimited` as a limit: larger than anything that is counted, and still an exact integer. */
export const unlimited = Number.MAX_SAFE_INTEGER;

type Limit = number | "unlimited" | undefined;

export interface LimitsSpec {
  readonly maxTokens?: Limit;
  readonly maxUsd?: Limit;
  readonly maxCalls?: Limit;
}

/** The budget of a run, as its author writes it. */
export interface BudgetSpec extends LimitsSpec {
  readonly onExceeded?: "fail" | "pause" | "degrade" | undefined;
  readonly onTrip?: EnvelopeTerms["onTrip"] | undefined;
  readonly creditMode?: EnvelopeTerms["creditMode"] | undefined;
}

export const defaultRunLimit: Amounts = {
  tokens: defaultLimits.runTokens,
  nanoUsd: defaultLimits.runNanoUsd,
  calls: defaultLimits.runCalls,
};

/** BU-3: what an installation may spend in a day when nothing is configured. */
export const defaultDayLimit: Amounts = {
  tokens: unlimited,
  nanoUsd: defaultLimits.dayNanoUsd,
  calls: unlimited,
};

const noCap: Amounts = { tokens: unlimited, nanoUsd: unlimited, calls: unlimited };

/** Throws `config_invalid` naming a limit that is none, and its value. */
export function runEnvelopeTerms(spec: BudgetSpec = {}): EnvelopeTerms {
  return {
    limit: limitOf(spec, defaultRunLimit),
    creditMode: spec.creditMode ?? "credit",
    onTrip: spec.onTrip ?? (spec.onExceeded === "degrade" ? "ladder" : "nothing"),
  };
}

/** Throws `config_invalid` naming a limit that is none, and its value. */
export function taskEnvelopeTerms(spec: LimitsSpec | undefined, run: EnvelopeTerms): EnvelopeTerms {
  return { ...run, limit: limitOf(spec ?? {}, noCap) };
}

/** What is stated of an envelope, and nothing else. Throws `config_invalid` naming a limit that is none, and its value. */
export function statedLimits(spec: LimitsSpec = {}): Partial<Amounts> {
  const { tokens, nanoUsd, calls } = limitOf(spec, noCap);
  return {
    ...(spec.maxTokens === undefined ? {} : { tokens }),
    ...(spec.maxUsd === undefined ? {} : { nanoUsd }),
    ...(spec.maxCalls === undefined ? {} : { calls }),
  };
}

/** The limits of a day, as an operator writes them: an installation's. Throws `config_invalid`. */
export function installationDayLimit(perDay: LimitsSpec | "unlimited" = {}): Amounts {
  return perDay === "unlimited" ? noCap : limitOf(perDay, defaultDayLimit);
}

/** An API key's: what is left away is bounded by the installation alone. Throws `config_invalid`. */
export function keyDayLimit(perDay: LimitsSpec | "unlimited"): Amounts {
  return perDay === "unlimited" ? noCap : limitOf(perDay, noCap);
}

function limitOf({ maxTokens, maxUsd, maxCalls }: LimitsSpec, otherwise: Amounts): Amounts {
  return {
    tokens: whole("maxTokens", maxTokens, otherwise.tokens),
    nanoUsd: maxUsd === undefined ? otherwise.nanoUsd : money(maxUsd),
    calls: whole("maxCalls", maxCalls, otherwise.calls),
  };
}

function whole(key: string, limit: Limit, otherwise: number): number {
  if (limit === undefined) return otherwise;
  if (limit === "unlimited") return unlimited;
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw invalid(key, limit, 'a whole number of at least 1, or "unlimited"');
}

function money(usd: number | "unlimited"): number {
  if (usd === "unlimited") return unlimited;
  const nanoUsd = parseUsd(usd);
  if (nanoUsd !== undefined && nanoUsd > 0 && Number.isSafeInteger(nanoUsd)) return nanoUsd;
  throw invalid("maxUsd", usd, "US dollars up to 9,000,000 with at most nine decimals");
}

function invalid(key: string, value: number, expected: string): Error {
  return bridleError("config_invalid", {
    message: `${key} is ${value}; write ${expected}.`,
    details: { key, value },
  });
}
