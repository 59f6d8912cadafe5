import type { FailureClass, WireFailure } from "@bridle/ports";
import { describe, expect, it } from "vitest";

import { classRules, classify } from "../src/index.ts";

function classOf(facts: Partial<WireFailure>): FailureClass {
  return classify({ message: "", stage: "before_output", ...facts });
}

describe("[L10] a provider's code says by itself, against status and text", () => {
  it.each<[FailureClass, readonly string[]]>([
    [
      "auth",
      [
        "no_credential",
        "invalid_api_key",
        "authentication_error",
        "permission_error",
        "permission_denied",
        "unauthenticated",
      ],
    ],
    [
      "billing",
      [
        "insufficient_quota",
        "terminal_quota_exhausted",
        "billing_hard_limit_reached",
        "billing_not_active",
        "billing_error",
        "insufficient_credits",
        "credit_balance_too_low",
      ],
    ],
    [
      "rate_limit",
      ["rate_limit_exceeded", "rate_limit_error", "too_many_requests", "resource_exhausted"],
    ],
    ["overloaded", ["overloaded_error", "overloaded", "engine_overloaded"]],
    ["context_overflow", ["context_length_exceeded", "string_above_max_length"]],
    ["model_not_found", ["model_not_found"]],
    ["refusal", ["content_filter", "content_policy_violation"]],
  ])("%s", (expected, codes) => {
    for (const providerCode of codes) {
      expect([providerCode, classOf({ providerCode, status: 504 })]).toEqual([
        providerCode,
        expected,
      ]);
    }
  });
});

describe("[L10] a type says only what status and text do not", () => {
  it.each<[FailureClass, readonly string[]]>([
    ["bad_request", ["invalid_request_error", "invalid_argument"]],
    ["model_not_found", ["not_found_error"]],
    [
      "server_error",
      [
        "api_error",
        "server_error",
        "internal_server_error",
        "internal_error",
        "unavailable",
        "timeout_error",
        "deadline_exceeded",
      ],
    ],
  ])("%s", (expected, codes) => {
    for (const providerCode of codes) {
      expect([providerCode, classOf({ providerCode })]).toEqual([providerCode, expected]);
      expect(classOf({ providerCode, status: 529 })).toBe("overloaded");
    }
  });
});

describe("[L10] what the transport says comes first", () => {
  it.each<[FailureClass, readonly string[]]>([
    [
      "misconfigured",
      [
        "insecure_url",
        "invalid_url",
        "invalid_setting",
        "invalid_request",
        "request_too_large",
        "encoded_answer",
        "headers_too_large",
        "redirect_refused",
        "unexpected_content_type",
        "CERT_HAS_EXPIRED",
        "CERT_NOT_YET_VALID",
        "DEPTH_ZERO_SELF_SIGNED_CERT",
        "SELF_SIGNED_CERT_IN_CHAIN",
        "UNABLE_TO_GET_ISSUER_CERT",
        "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
        "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "ERR_TLS_CERT_ALTNAME_INVALID",
      ],
    ],
    ["malformed", ["invalid_status", "response_too_large"]],
    ["timeout", ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]],
  ])("%s", (expected, codes) => {
    for (const networkCode of codes) {
      const facts = { networkCode, providerCode: "overloaded", status: 401 };
      expect([networkCode, classOf(facts)]).toEqual([networkCode, expected]);
    }
  });

  it("a code that nobody lists is the network's, whatever the words", () => {
    expect(classOf({ networkCode: "EPIPE", message: "rate limit" })).toBe("network");
  });
});

describe("[L10] a status, and words where it has several meanings", () => {
  it.each<[FailureClass, readonly number[], readonly string[]]>([
    ["billing", [402], [""]],
    [
      "rate_limit",
      [402, 429],
      [
        "usage limit",
        "billing: try again",
        "automatic refresh",
        "your credit balance resets at noon",
        "it resets in an hour",
        "it reset at noon",
        "billing per minute",
        "billing per hour",
        "billing per day",
      ],
    ],
    [
      "billing",
      [403, 429],
      [
        "insufficient credit",
        "Insufficient balance",
        "insufficient funds",
        "credit balance",
        "out of credits",
        "payment required",
        "billing",
      ],
    ],
    ["auth", [403], ["billing per day", "no"]],
    ["auth", [401], ["billing"]],
    ["overloaded", [503], ["overloaded", "at capacity", "too busy", "high demand"]],
    ["server_error", [503, 500, 599, 408, 409], ["", "down"]],
    ["model_not_found", [404, 410], ["no such model"]],
    ["unknown", [404, 410], ["no such remodelling", "gone"]],
    [
      "context_overflow",
      [400, 413, 422],
      [
        "context length",
        "context window",
        "prompt is too long",
        "input is too long",
        "too many tokens",
        "too many input tokens",
        "maximum context length",
        "maximum prompt length",
        "exceeds 5 tokens",
        "exceed the limit of tokens",
      ],
    ],
    [
      "bad_request",
      [400, 413, 422],
      [
        "exceeds the forty characters that may stand in between these two tokens",
        "exceeds mytokens",
        "too many output tokens",
      ],
    ],
    [
      "refusal",
      [400, 422],
      ["content policy", "content filter", "content management", "safety system", "safety filter"],
    ],
    ["auth", [401], ["content policy"]],
    ["model_not_found", [400], ["model x does not exist", "model not found", "Model x is unknown"]],
    [
      "bad_request",
      [400],
      ["the remodel is unknown", `model ${"x".repeat(60)} unknown`, "unknown model"],
    ],
    ["bad_request", [405, 415], ["context length"]],
    ["unknown", [499, 600, 418], [""]],
  ])("%s: %j with %j", (expected, statuses, words) => {
    for (const status of statuses) {
      for (const message of words) {
        expect([status, message, classOf({ status, message })]).toEqual([
          status,
          message,
          expected,
        ]);
      }
    }
  });

  it("without one, only words that are clear count", () => {
    expect(classOf({ message: "Rate limit reached" })).toBe("rate_limit");
    expect(classOf({ message: "Too many requests" })).toBe("rate_limit");
    expect(classOf({ message: "at capacity" })).toBe("overloaded");
    expect(classOf({ message: "billing" })).toBe("unknown");
    expect(classOf({ status: 418, message: "rate limit" })).toBe("unknown");
    expect(classOf({ malformed: false })).toBe("unknown");
  });
});

describe("[L10] what a class means for its call", () => {
  it.each<[FailureClass, string, readonly [number, number], readonly [boolean, boolean]]>([
    ["aborted", "cancelled", [0, 0], [false, false]],
    ["auth", "model_auth", [0, 0], [true, false]],
    ["billing", "model_billing", [0, 0], [true, false]],
    ["rate_limit", "model_rate_limited", [3, 3], [true, false]],
    ["overloaded", "model_overloaded", [3, 2], [true, true]],
    ["server_error", "model_server_error", [3, 3], [true, true]],
    ["network", "model_network", [3, 3], [true, true]],
    ["timeout", "model_timeout", [1, 0], [true, true]],
    ["malformed", "model_malformed", [1, 1], [true, true]],
    ["context_overflow", "model_context_overflow", [0, 0], [false, false]],
    ["bad_request", "model_bad_request", [0, 0], [false, false]],
    ["refusal", "model_refused", [0, 0], [false, false]],
    ["model_not_found", "model_not_found", [0, 0], [true, false]],
    ["misconfigured", "model_misconfigured", [0, 0], [true, true]],
    ["unknown", "model_failed", [1, 1], [true, false]],
  ])("%s", (name, code, [retries, retriesBeforeFallback], [fallback, isProviderFault]) => {
    expect(classRules[name]).toEqual({
      code,
      retries,
      retriesBeforeFallback,
      fallback,
      isProviderFault,
    });
  });
});
