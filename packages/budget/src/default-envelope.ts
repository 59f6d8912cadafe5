import { bridleError, defaultLimits } from "@bridle/protocol";
import type { Amounts, EnvelopeTerms } from "@bridle/protocol";

import { parseUsd } from "./price.ts";

/** `unlimited` as a limit: larger than anything that is counted, and still an exact integer. */
export const unlimited = Number.MAX_SAFE_INTEGER;

/** The budget of a workflow or a task, as its author writes it. */
export interface BudgetSpec {
  readonly maxTokens?: number | "unlimited" | undefined;
  readonly maxUsd?: number | "unlimited" | undefined;
  readonly maxCalls?: number | "unlimited" | undefined;
  readonly onExceeded?: "fail" | "pause" | "degrade" | undefined;
}

/** BU-3: no run is without limits; leaving one away means this, and `unlimited` must be written out. */
export const defaultRunLimit: Amounts = {
  tokens: defaultLimits.runTokens,
  nanoUsd: defaultLimits.runNanoUsd,
  calls: defaultLimits.runCalls,
};

/** Terms of a run's envelope. Throws `config_invalid` for an amount of dollars that is not one. */
export function defaultEnvelope(spec: BudgetSpec = {}): EnvelopeTerms {
  return {
    limit: limitOf(spec, defaultRunLimit),
    creditMode: "credit",
    onTrip: spec.onExceeded === "degrade" ? "ladder" : "nothing",
  };
}

/** Terms of a task's envelope: a cap inside its run's, which it takes over where it states nothing (BU-4). */
export function taskEnvelope(spec: BudgetSpec | undefined, run: EnvelopeTerms): EnvelopeTerms {
  return { ...run, limit: limitOf(spec ?? {}, run.limit) };
}

function limitOf({ maxTokens, maxUsd, maxCalls }: BudgetSpec, otherwise: Amounts): Amounts {
  return {
    tokens: whole(maxTokens) ?? otherwise.tokens,
    nanoUsd: maxUsd === undefined ? otherwise.nanoUsd : money(maxUsd),
    calls: whole(maxCalls) ?? otherwise.calls,
  };
}

function whole(limit: number | "unlimited" | undefined): number | undefined {
  return limit === "unlimited" ? unlimited : limit;
}

function money(usd: number | "unlimited"): number {
  if (usd === "unlimited") return unlimited;
  const nanoUsd = parseUsd(usd);
  if (nanoUsd !== undefined && Number.isSafeInteger(nanoUsd)) return nanoUsd;
  throw bridleError("config_invalid", {
    message: `maxUsd is ${usd}; write US dollars up to 9,000,000 with at most nine decimals.`,
    details: { key: "maxUsd", value: usd },
  });
}
