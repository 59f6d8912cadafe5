import { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";
import type { ErrorCode, WireFault } from "@bridle/protocol";

/** Any thrown value as a coded error; what has no code yet gets the given one. */
export function coded(thrown: unknown, code: ErrorCode): CodedError {
  if (CodedError.is(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return bridleError(code, { message, cause: thrown });
}

/** An error as it crosses to an isolate: no stack, no cause, details only when they have a JSON form. */
export function faultOf(error: CodedError): WireFault {
  const { code, message, retryable, details } = error;
  return { code, message: message.slice(0, 4096), retryable, ...crossing(details) };
}

function crossing(details: Readonly<Record<string, unknown>>): Pick<WireFault, "details"> {
  if (Object.keys(details).length === 0) return {};
  try {
    return { details: JSON.parse(JSON.stringify(details)) as Record<string, unknown> };
  } catch {
    return {};
  }
}
