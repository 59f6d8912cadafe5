import type { FailureClass, WireFailure } from "@bridle/ports";

/** Codes that decide by themselves, whatever the status says: code beats status, status beats text. */
const byProviderCode: Readonly<Record<string, FailureClass>> = {
  no_credential: "auth",
  invalid_api_key: "auth",
  authentication_error: "auth",
  permission_error: "auth",
  permission_denied: "auth",
  unauthenticated: "auth",
  insufficient_quota: "billing",
  terminal_quota_exhausted: "billing",
  billing_hard_limit_reached: "billing",
  billing_not_active: "billing",
  billing_error: "billing",
  insufficient_credits: "billing",
  credit_balance_too_low: "billing",
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  too_many_requests: "rate_limit",
  resource_exhausted: "rate_limit",
  overloaded_error: "overloaded",
  overloaded: "overloaded",
  engine_overloaded: "overloaded",
  context_length_exceeded: "context_overflow",
  string_above_max_length: "context_overflow",
  model_not_found: "model_not_found",
  content_filter: "refusal",
  content_policy_violation: "refusal",
};

/** Types so broad that status and text know better; used only when those say nothing. */
const byBroadCode: Readonly<Record<string, FailureClass>> = {
  invalid_request_error: "bad_request",
  invalid_argument: "bad_request",
  not_found_error: "model_not_found",
  api_error: "server_error",
  server_error: "server_error",
  internal_server_error: "server_error",
  internal_error: "server_error",
  unavailable: "server_error",
  timeout_error: "server_error",
  deadline_exceeded: "server_error",
};

const byNetworkCode: Readonly<Record<string, FailureClass>> = {
  insecure_url: "misconfigured",
  invalid_url: "misconfigured",
  invalid_setting: "misconfigured",
  invalid_request: "misconfigured",
  request_too_large: "misconfigured",
  encoded_answer: "misconfigured",
  headers_too_large: "misconfigured",
  redirect_refused: "misconfigured",
  unexpected_content_type: "misconfigured",
  invalid_status: "malformed",
  response_too_large: "malformed",
  CERT_HAS_EXPIRED: "misconfigured",
  CERT_NOT_YET_VALID: "misconfigured",
  DEPTH_ZERO_SELF_SIGNED_CERT: "misconfigured",
  SELF_SIGNED_CERT_IN_CHAIN: "misconfigured",
  UNABLE_TO_GET_ISSUER_CERT: "misconfigured",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "misconfigured",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "misconfigured",
  ERR_TLS_CERT_ALTNAME_INVALID: "misconfigured",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
};

const billingWords =
  /insufficient (credit|balance|fund)|credit balance|out of credits|payment required|billing/i;
const temporaryWords =
  /usage limit|try again|automatic refresh|resets? (at|in)|per (minute|hour|day)/i;
const overloadWords = /overload|capacity|too busy|high demand/i;
const overflowWords =
  /context (length|window)|prompt is too long|input is too long|too many (input )?tokens|maximum (context|prompt) length|exceeds? .{0,40}\btokens\b/i;
const modelWords = /\bmodel\b/i;
const filterWords = /content (policy|filter|management)|safety (system|filter)/i;

interface Rule {
  readonly class: FailureClass;
  readonly statuses: readonly number[];
  readonly words?: RegExp;
  readonly unless?: RegExp;
}

/**
 * Status, and text where the status is shared by several meanings. First match wins: billing and rate limit stand before overflow,
 * since "too many tokens per day" is no prompt that is too long (B011).
 */
const statusRules: readonly Rule[] = [
  { class: "billing", statuses: [402], unless: temporaryWords },
  { class: "rate_limit", statuses: [402] },
  { class: "billing", statuses: [403, 429], words: billingWords, unless: temporaryWords },
  { class: "rate_limit", statuses: [429] },
  { class: "auth", statuses: [401, 403] },
  { class: "overloaded", statuses: [529] },
  { class: "overloaded", statuses: [503], words: overloadWords },
  { class: "model_not_found", statuses: [404, 410], words: modelWords },
  { class: "context_overflow", statuses: [400, 413, 422], words: overflowWords },
  { class: "refusal", statuses: [400, 403, 422], words: filterWords },
  {
    class: "model_not_found",
    statuses: [400],
    words: /\bmodel\b.{0,60}(not (exist|found)|unknown)/i,
  },
  { class: "bad_request", statuses: [400, 405, 413, 415, 422] },
  { class: "server_error", statuses: [408, 409] },
];

function isMatch(rule: Rule, { status, message }: WireFailure): boolean {
  if (status === undefined || !rule.statuses.includes(status)) return false;
  if (rule.unless?.test(message) === true) return false;
  return rule.words === undefined || rule.words.test(message);
}

function lookUp(
  table: Readonly<Record<string, FailureClass>>,
  key: string | undefined,
): FailureClass | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

function byStatus(failure: WireFailure): FailureClass | undefined {
  const rule = statusRules.find((candidate) => isMatch(candidate, failure));
  if (rule !== undefined) return rule.class;
  const status = failure.status ?? 0;
  return status >= 500 && status <= 599 ? "server_error" : undefined;
}

/** Without status or code only clear words count. */
function byText({ message, status }: WireFailure): FailureClass | undefined {
  if (status !== undefined) return undefined;
  if (/rate limit|too many requests/i.test(message)) return "rate_limit";
  if (overloadWords.test(message)) return "overloaded";
  return undefined;
}

/**
 * The class of a failed wire call, from facts alone: transport, then the provider's code, status with text, broad types, text.
 * Total: what nothing recognises is `unknown`.
 */
export function classify(failure: WireFailure): FailureClass {
  return (
    lookUp(byNetworkCode, failure.networkCode) ??
    lookUp(byProviderCode, failure.providerCode) ??
    byStatus(failure) ??
    lookUp(byBroadCode, failure.providerCode) ??
    (failure.malformed === true ? "malformed" : undefined) ??
    (failure.networkCode === undefined ? byText(failure) : "network") ??
    "unknown"
  );
}
