import type { DeliveryOutcome } from "@bridle/ports";

/** What a receiver answered; a try without an answer has a fault in words. */
export type SendAnswer =
  | { readonly status: number; readonly retryAfterMs?: number | undefined }
  | { readonly fault: string };

export interface RetrySettings {
  /** Pause after the first failed try in ms, doubled with each further one. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Tries in all; then the delivery is dead. */
  readonly maxAttempts: number;
}

export interface Try {
  /** Tries before this one. */
  readonly attempts: number;
  readonly answer: SendAnswer;
  /** Wall ms. */
  readonly at: number;
  /** Uniform in [0, 1). */
  readonly chance: number;
}

/**
 * How a try is booked. Only a 2xx is a delivery; 410 means that nobody is there any more; everything else, a redirect too, is tried
 * again until the tries are used up. Pure.
 */
export function afterTry(
  { attempts, answer, at, chance }: Try,
  settings: RetrySettings,
): DeliveryOutcome {
  if ("status" in answer && answer.status >= 200 && answer.status < 300) {
    return { status: "delivered", at };
  }
  const error = "status" in answer ? `The receiver answered ${answer.status}.` : answer.fault;
  const isGone = "status" in answer && answer.status === 410;
  if (isGone || attempts + 1 >= settings.maxAttempts) return { status: "dead", error };
  const wanted = "status" in answer ? (answer.retryAfterMs ?? 0) : 0;
  const pauseMs = Math.max(
    pauseAfter(attempts, chance, settings),
    Math.min(wanted, settings.longestPauseMs),
  );
  return { status: "pending", nextAt: at + pauseMs, error };
}

/** Doubles with each failure; half of it is by chance, so that what failed together does not come back together. */
export function pauseAfter(failures: number, chance: number, settings: RetrySettings): number {
  const full = Math.min(
    settings.longestPauseMs,
    settings.firstPauseMs * 2 ** Math.min(failures, 40),
  );
  return Math.round(full * (0.5 + chance / 2));
}
