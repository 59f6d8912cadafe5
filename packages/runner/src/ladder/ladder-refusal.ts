import type { RefusedStep } from "@bridle/budget";
import { CodedError } from "@bridle/kernel";

/** A guard's refusal that the ladder answers (BU-17). */
export interface LadderRefusal {
  readonly refusedBy: RefusedStep["refusedBy"];
  readonly error: CodedError;
}

/** Undefined for every other error: a call that failed has its own recovery, and a stop is a stop. */
export function ladderRefusalOf(error: unknown): LadderRefusal | undefined {
  if (!CodedError.is(error)) return undefined;
  if (error.code === "budget_refused") return { refusedBy: "budget", error };
  if (error.code !== "breaker_open") return undefined;
  const { key } = error.details;
  const isProvider = typeof key === "string" && key.startsWith("provider:");
  return { refusedBy: isProvider ? "provider" : "own_breaker", error };
}

const rungMayRefuse: ReadonlySet<string> = new Set([
  "budget_refused",
  "breaker_open",
  "price_unknown",
]);

/** Why a rung did not hold; undefined when the error ends the step whatever rungs there are: a stop, a limit, a lost store. */
export function rungRefusal(error: unknown): string | undefined {
  if (!CodedError.is(error)) return undefined;
  const isFailedCall = error.code.startsWith("model_");
  return rungMayRefuse.has(error.code) || isFailedCall
    ? `${error.code}: ${error.message.slice(0, 300)}`
    : undefined;
}
