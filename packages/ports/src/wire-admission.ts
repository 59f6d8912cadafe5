import type { Amounts } from "@bridle/protocol";

import type { FailureClass } from "./model-provider.ts";

export interface WireAsk {
  /** `provider/model`. */
  readonly target: string;
  /** Input estimate plus maximum output, price included; the admission applies its factor (BU-7). */
  readonly estimate: Amounts;
  /**
   * What to set aside at a factor, where that is less or other than the estimate times it: a bound caps it, a tier reprices it (BU-15).
   * Contract: pure.
   */
  readonly reserve?: ((factor: number) => Amounts) | undefined;
  /** Of the estimate, the prompt: long ones may be read for longer before the first word (WD-9). Absent: unknown. */
  readonly promptTokens?: number | undefined;
}

export interface WireEnd {
  /** `neutral`: says nothing about the provider (abort by the user, credential refused, bad request). */
  readonly outcome: "success" | "failure" | "neutral";
  readonly class?: FailureClass | undefined;
  /** What the provider will bill, at best knowledge; never zero for a call that left (BU-12). */
  readonly actual: Amounts;
  readonly basis: "usage" | "best_knowledge" | "unknown";
  /** The server's Retry-After, from now: no breaker's cooldown ends before it (BR-11). */
  readonly retryAfterMs?: number | undefined;
  /** Completed progress: the only thing that closes a half-open breaker (BR-10). */
  readonly completedProgress: boolean;
}

export interface WirePermit {
  /** Must be called exactly once per admitted call, whatever happened to it; later calls do nothing. */
  end(end: WireEnd): Promise<void>;
}

/**
 * The one gate before a wire call: governor, breaker check, reservation, breaker permit, dispatch mark (GC-5).
 * Rejects with a CodedError when refused (`rate_governed`, `breaker_open`, `budget_refused`, `budget_unavailable`,
 * `envelope_closed`, `fenced`); then nothing is held and nothing may be sent.
 */
export interface WireAdmission {
  admit(ask: WireAsk): Promise<WirePermit>;
}
