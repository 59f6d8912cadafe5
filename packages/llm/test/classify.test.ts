import { failureClasses } from "@bridle/ports";
import type { FailureClass, WireFailure } from "@bridle/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { classRules, classify, wireCallBound } from "../src/index.ts";

function failure(facts: Partial<WireFailure>): WireFailure {
  return { message: "", stage: "before_output", ...facts };
}

function optional<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(value, { nil: undefined });
}

const rows: readonly (readonly [FailureClass, string, Partial<WireFailure>])[] = [
  ["auth", "a 401", { status: 401 }],
  ["auth", "a 403", { status: 403 }],
  ["auth", "no credential at all", { providerCode: "no_credential" }],
  ["auth", "a 400 with a code for a bad key", { status: 400, providerCode: "invalid_api_key" }],
  ["billing", "a 402", { status: 402, message: "Insufficient credits" }],
  [
    "rate_limit",
    "[B070] a 402 that will pass",
    { status: 402, message: "usage limit, wait for automatic refresh" },
  ],
  ["billing", "a 403 about money", { status: 403, message: "Your credit balance is too low" }],
  ["billing", "a 429 with a spent quota", { status: 429, providerCode: "insufficient_quota" }],
  [
    "billing",
    "[B071] a code against the text",
    { status: 429, providerCode: "terminal_quota_exhausted", message: "too many requests" },
  ],
  ["rate_limit", "a 429", { status: 429 }],
  [
    "rate_limit",
    "[B011] a 429 about tokens per day",
    { status: 429, message: "Too many tokens per day" },
  ],
  ["rate_limit", "a code inside a 200", { providerCode: "rate_limit_error" }],
  ["overloaded", "[S10] a 529, which is nobody's key's fault", { status: 529 }],
  ["overloaded", "a 503 that says so", { status: 503, message: "Overloaded" }],
  ["server_error", "a bare 503", { status: 503 }],
  ["overloaded", "an error inside a 200", { providerCode: "overloaded_error" }],
  ["overloaded", "mere words inside a 200", { message: "The model is overloaded" }],
  ["server_error", "a 500", { status: 500 }],
  ["server_error", "a 504", { status: 504 }],
  ["server_error", "a status nobody lists", { status: 577 }],
  ["server_error", "[B010] a 408", { status: 408 }],
  ["server_error", "[B010] a 409", { status: 409 }],
  ["server_error", "[B017] a 502 named inside a 200", { status: 502, message: "upstream" }],
  ["timeout", "headers that never came", { networkCode: "UND_ERR_HEADERS_TIMEOUT" }],
  ["network", "a refused connection", { networkCode: "ECONNREFUSED" }],
  ["network", "a reset after a 200", { networkCode: "ECONNRESET", stage: "after_output" }],
  ["network", "a code nobody lists", { networkCode: "EWHATEVER" }],
  ["misconfigured", "a bad certificate", { networkCode: "DEPTH_ZERO_SELF_SIGNED_CERT" }],
  ["misconfigured", "a redirect", { networkCode: "redirect_refused", status: undefined }],
  ["misconfigured", "[B017] a login page", { networkCode: "unexpected_content_type" }],
  [
    "context_overflow",
    "a 400 with the code",
    { status: 400, providerCode: "context_length_exceeded" },
  ],
  [
    "context_overflow",
    "a 400 in words",
    {
      status: 400,
      providerCode: "invalid_request_error",
      message: "prompt is too long: 210000 tokens",
    },
  ],
  ["context_overflow", "a 413 about tokens", { status: 413, message: "input is too long" }],
  ["bad_request", "[B013] a 413 about bytes", { status: 413, message: "body too large" }],
  ["bad_request", "[B011] a 400 without words", { status: 400 }],
  ["bad_request", "[B031] a type inside a 200", { providerCode: "invalid_request_error" }],
  [
    "model_not_found",
    "a 404 about a model",
    { status: 404, message: "The model `x` does not exist" },
  ],
  ["model_not_found", "a 400 about a model", { status: 400, message: "model x is unknown" }],
  ["unknown", "another 404", { status: 404, message: "Not found" }],
  ["refusal", "a filter's code", { status: 400, providerCode: "content_filter" }],
  ["refusal", "a filter's words", { status: 400, message: "violates our content policy" }],
  ["malformed", "an answer that cannot be read", { malformed: true }],
  ["malformed", "an answer without end", { networkCode: "response_too_large" }],
  ["unknown", "an unlisted 4xx", { status: 418 }],
  ["unknown", "nothing at all", {}],
  ["unknown", "a code that is a property of every object", { providerCode: "constructor" }],
];

describe("[L10] a failure is", () => {
  it.each(rows)("%s: %s", (expected, _name, facts) => {
    expect(classify(failure(facts))).toBe(expected);
  });

  it("one of the known classes, whatever the facts", () => {
    const facts = fc.record({
      status: optional(fc.integer({ min: -1, max: 1000 })),
      providerCode: optional(fc.string()),
      networkCode: optional(fc.string()),
      message: fc.string(),
      malformed: optional(fc.boolean()),
    });
    fc.assert(
      fc.property(facts, (some) => {
        expect(failureClasses).toContain(classify(failure(some)));
      }),
    );
  });

  it("classified alike before and after output: the stage is for the decision", () => {
    for (const [expected, , facts] of rows)
      expect(classify(failure({ ...facts, stage: "after_output" }))).toBe(expected);
  });
});

describe("[BR-14] against the provider's breaker count", () => {
  it("its own faults only, never keys, requests, refusals or the caller's end", () => {
    const counted = failureClasses.filter((name) => classRules[name].isProviderFault);
    expect(counted).toEqual([
      "overloaded",
      "server_error",
      "timeout",
      "network",
      "malformed",
      "misconfigured",
    ]);
  });
});

it("[B008] a call makes at most four wire calls per target", () => {
  expect([wireCallBound(1), wireCallBound(3)]).toEqual([4, 12]);
});
