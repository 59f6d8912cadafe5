/** Stage-independent class of a failed wire call: what llm decides by and what the breaker routes by (BR-14). */
export const failureClasses = [
  "aborted",
  "auth",
  "billing",
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
  "network",
  "context_overflow",
  "bad_request",
  "model_not_found",
  "malformed",
  "refusal",
  /** The address answers, but not as a model API: bad certificate, redirect, a proxy's page. */
  "misconfigured",
  "unknown",
] as const;
export type FailureClass = (typeof failureClasses)[number];
