import { CodedError } from "@bridle/kernel";

/** Whether an admission was refused by the breaker of this provider or model, so that another one may be asked (BR-17). */
export function isProviderRefusal(error: unknown): boolean {
  if (!CodedError.is(error) || error.code !== "breaker_open") return false;
  const { breaker } = error.details;
  return typeof breaker === "string" && breaker.startsWith("provider:");
}
