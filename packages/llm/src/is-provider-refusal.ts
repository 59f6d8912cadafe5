import { CodedError } from "@bridle/kernel";

/** Whether an admission was refused by the breaker of this provider or model, so that another one may be asked (BR-17). */
export function isProviderRefusal(error: unknown): boolean {
  if (!CodedError.is(error) || error.code !== "breaker_open") return false;
  const { key } = error.details;
  return typeof key === "string" && key.startsWith("provider:");
}
