/**
 * What comes back from a tool that has secrets, without them (B199): its answer goes to the isolate, the step journal and the
 * run's log, and so does what it fails of. A service that refuses a token often says which.
 *
 * 1. Every text in an answer is masked by itself, names too, so that what was JSON stays JSON.
 * 2. An error that holds none is handed on as it is; the others lose their stack and cause, which nobody can look through.
 */
import { CodedError } from "@bridle/kernel";
import { redacted } from "@bridle/protocol";

export type Mask = (text: string) => string;

/** JSON text in, JSON text out. */
export function maskJson(text: string, mask: Mask): string {
  return mask(text) === text ? text : JSON.stringify(maskValue(JSON.parse(text), mask));
}

export function maskError(thrown: unknown, mask: Mask): unknown {
  if (!(thrown instanceof Error)) {
    const shown = String(thrown);
    return mask(shown) === shown ? thrown : new Error(mask(shown));
  }
  if (CodedError.is(thrown)) return maskCoded(thrown, mask);
  const { code, status, statusCode } = thrown as AuthorError;
  const message = mask(thrown.message);
  const shownCode = typeof code === "string" ? mask(code) : code;
  if (message === thrown.message && shownCode === code) return thrown;
  return Object.assign(new Error(message), { code: shownCode, status: status ?? statusCode });
}

interface AuthorError {
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
}

function maskCoded(error: CodedError, mask: Mask): CodedError {
  const { code, message, retryable, status, details } = error;
  const plain = textOf(details);
  if (mask(message) === message && mask(plain) === plain) return error;
  return new CodedError({
    code,
    message: mask(message),
    retryable,
    status,
    details: JSON.parse(maskJson(plain, mask)) as Readonly<Record<string, unknown>>,
  });
}

/** Details without a JSON form never cross. */
function textOf(details: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(details);
  } catch {
    return "{}";
  }
}

/** A number may be a secret as well: a PIN. */
function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : redacted;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mask(name), maskValue(item, mask)]),
  );
}
