import { APICallError } from "@ai-sdk/provider";
import { TransportError, WireError } from "@bridle/ports";
import type { WireFailure } from "@bridle/ports";

import { bodyFacts, causeChain, transportFacts } from "./error-facts.ts";
import type { ErrorFacts } from "./error-facts.ts";

/** Headers worth keeping: waits, limits, ids. Everything else might be a secret. */
const keptHeader =
  /^(retry-after|retry-after-ms|x-should-retry|request-id|x-request-id|x-ratelimit-.+|anthropic-ratelimit-.+)$/;

const unreadable = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_NoContentGeneratedError",
]);

export interface FailureContext {
  readonly stage: WireFailure["stage"];
  readonly redact: (text: string) => string;
}

/**
 * Every way a call can fail, as one `WireError`: classified later by facts, never by the SDK's `isRetryable`, which calls a broken
 * stream of status 200 retryable. The SDK's error is not kept as cause: it holds the prompt, the headers and the raw body (B199).
 */
export function toWireError(error: unknown, context: FailureContext): WireError {
  if (error instanceof WireError) return error;
  return wireErrorOf(factsOf(error), context);
}

/** A `WireError` from facts that are still to be redacted. */
export function wireErrorOf(facts: ErrorFacts, { stage, redact }: FailureContext): WireError {
  const { status, headers, providerCode, networkCode, malformed } = facts;
  return new WireError({
    stage,
    message: redact(facts.message ?? defaultMessage(facts)),
    ...(status !== undefined && { status }),
    ...(headers && { headers: redactedHeaders(headers, redact) }),
    ...(providerCode !== undefined && { providerCode: redact(providerCode) }),
    ...(networkCode !== undefined && { networkCode }),
    ...(malformed === true && { malformed }),
  });
}

function factsOf(error: unknown): ErrorFacts {
  const chain = causeChain(error);
  const transport = chain.find((link) => link instanceof TransportError);
  if (transport !== undefined) return transportFacts(transport);
  const networkCode = chain.map(codeOf).findLast((code) => code !== undefined);
  const call = chain.find((link) => APICallError.isInstance(link));
  if (call !== undefined) return apiCallFacts(call, networkCode);
  const malformed = chain.some((link) => link instanceof Error && unreadable.has(link.name));
  return {
    networkCode,
    malformed,
    message: error instanceof Error ? error.message : String(error),
  };
}

function apiCallFacts(call: APICallError, networkCode: string | undefined): ErrorFacts {
  const status = call.statusCode;
  // "Failed to process successful response": the 200 is no fact about the failure.
  const isError = status !== undefined && status >= 400;
  const body = bodyFacts(call.responseBody ?? "");
  return {
    networkCode,
    ...(isError && { status, headers: call.responseHeaders }),
    providerCode: body.providerCode,
    message: body.message ?? (isError ? `The provider answered ${status}.` : call.message),
  };
}

function codeOf(link: unknown): string | undefined {
  const { code } = link as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

function defaultMessage({ status, networkCode }: ErrorFacts): string {
  if (status !== undefined) return `The provider answered ${status}.`;
  return networkCode === undefined ? "The call failed." : `The call failed with ${networkCode}.`;
}

function redactedHeaders(
  headers: Readonly<Record<string, string>>,
  redact: (text: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      keptHeader.test(name.toLowerCase()) ? [[name.toLowerCase(), redact(value)]] : [],
    ),
  );
}
