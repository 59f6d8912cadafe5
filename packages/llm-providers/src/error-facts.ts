import type { TransportError, WireFailure } from "@bridle/ports";

/** What an error says about the wire call, before redaction; the stage is known to the stream alone. */
export type ErrorFacts = Partial<Omit<WireFailure, "stage">>;

/** Walks `cause`, itself first, at most ten deep and never in a circle. */
export function causeChain(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  let current = error;
  while (current !== undefined && current !== null && chain.length < 10) {
    if (chain.includes(current)) break;
    chain.push(current);
    current = typeof current === "object" ? (current as { cause?: unknown }).cause : undefined;
  }
  return chain;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** An HTTP status hidden in a code, as gateways do: 502 or "502". */
function statusOf(code: unknown): number | undefined {
  const status = typeof code === "string" && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === "number" && status >= 400 && status <= 599 ? status : undefined;
}

/** Facts of a provider's error object `{ message, type, code, status }`, or of a bare string. Code before type. */
export function errorObjectFacts(error: unknown): ErrorFacts {
  if (typeof error !== "object" || error === null) {
    return { message: stringOf(error) ?? "The provider sent an error without words." };
  }
  const { message, type, code, status } = error as Readonly<Record<string, unknown>>;
  const words = statusOf(code) === undefined ? stringOf(code) : undefined;
  return {
    status: statusOf(code) ?? statusOf(status),
    providerCode: (words ?? stringOf(status) ?? stringOf(type))?.toLowerCase(),
    message: stringOf(message) ?? "The provider sent an error without words.",
  };
}

/** Facts of a body that should have been an error object: `{ error: … }`, an error itself, or plain text. */
export function bodyFacts(text: string): ErrorFacts {
  const json = parseJson(text);
  if (json === undefined) {
    const isPage = /^\s*</.test(text);
    return text.trim() === "" || isPage ? {} : { message: text.trim() };
  }
  const { value } = json;
  if (typeof value !== "object" || value === null) return {};
  const inner = (value as { error?: unknown }).error;
  if (inner !== undefined && inner !== null) return errorObjectFacts(inner);
  return "message" in value ? errorObjectFacts(value) : {};
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/**
 * Facts of an answer that was no stream. A JSON error object counts as the status it names (B017); other JSON is an answer that
 * cannot be read; anything else keeps the transport's code.
 */
export function transportFacts(error: TransportError): ErrorFacts {
  const plain: ErrorFacts = {
    networkCode: error.code,
    message: error.message,
    // A success status is no fact about a failure.
    status: error.status !== undefined && error.status >= 400 ? error.status : undefined,
  };
  if (error.code !== "unexpected_content_type" || error.bodyText === undefined) return plain;
  if (!error.message.includes("json")) return plain;
  const inner = bodyFacts(error.bodyText);
  return inner.message === undefined ? { malformed: true, message: error.message } : inner;
}
