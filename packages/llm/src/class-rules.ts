import type { FailureClass } from "@bridle/ports";
import type { ErrorCode } from "@bridle/protocol";

export interface ClassRule {
  /** What the caller sees when no recovery is left. */
  readonly code: ErrorCode;
  /** Retries on the same target before the first output. */
  readonly retries: number;
  /** The same, when another target could be asked instead. */
  readonly retriesBeforeFallback: number;
  /** Whether another target may fare better: false where the request itself is at fault. */
  readonly fallback: boolean;
  /** Whether it counts against the provider's breaker (BR-14). */
  readonly isProviderFault: boolean;
}

const transient = { retries: 3, retriesBeforeFallback: 3, fallback: true } as const;
const requestFault = { retries: 0, retriesBeforeFallback: 0, fallback: false } as const;
const targetFault = { retries: 0, retriesBeforeFallback: 0, fallback: true } as const;

/**
 * What each class means for one call. Three retries where time heals (the figure most systems share: beyond it the caller's patience
 * goes, not the fault); one where a resent prompt costs money without a reason to expect better; none where the answer will be the
 * same. The third overload in a row moves on when there is somewhere to go (L12).
 */
export const classRules: Readonly<Record<FailureClass, ClassRule>> = {
  aborted: { code: "cancelled", ...requestFault, isProviderFault: false },
  auth: { code: "model_auth", ...targetFault, isProviderFault: false },
  billing: { code: "model_billing", ...targetFault, isProviderFault: false },
  rate_limit: { code: "model_rate_limited", ...transient, isProviderFault: false },
  overloaded: {
    code: "model_overloaded",
    retries: 3,
    retriesBeforeFallback: 2,
    fallback: true,
    isProviderFault: true,
  },
  server_error: { code: "model_server_error", ...transient, isProviderFault: true },
  network: { code: "model_network", ...transient, isProviderFault: true },
  timeout: {
    code: "model_timeout",
    retries: 1,
    retriesBeforeFallback: 0,
    fallback: true,
    isProviderFault: true,
  },
  malformed: {
    code: "model_malformed",
    retries: 1,
    retriesBeforeFallback: 1,
    fallback: true,
    isProviderFault: true,
  },
  context_overflow: { code: "model_context_overflow", ...requestFault, isProviderFault: false },
  bad_request: { code: "model_bad_request", ...requestFault, isProviderFault: false },
  refusal: { code: "model_refused", ...requestFault, isProviderFault: false },
  model_not_found: { code: "model_not_found", ...targetFault, isProviderFault: false },
  misconfigured: { code: "model_misconfigured", ...targetFault, isProviderFault: true },
  unknown: {
    code: "model_failed",
    retries: 1,
    retriesBeforeFallback: 1,
    fallback: true,
    isProviderFault: false,
  },
};

/** Most wire calls one call can make: one and its retries for each target of the chain. */
export function wireCallBound(targetCount: number): number {
  return targetCount * (1 + Math.max(...Object.values(classRules).map(({ retries }) => retries)));
}
