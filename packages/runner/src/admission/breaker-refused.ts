import { breakerOpenError } from "@bridle/breaker";
import type { BreakerRefusal } from "@bridle/breaker";
import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

/**
 * A breaker's refusal as the error a step or a task ends with. It keeps when it was told, in wall ms: what its breaker has told
 * since then counts for more (BR-18).
 */
export function breakerRefused(refusal: BreakerRefusal, toldAt: number): CodedError {
  const { message, details } = breakerOpenError(refusal);
  return bridleError("breaker_open", { message, details: { ...details, toldAt } });
}
