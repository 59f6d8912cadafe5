import type { FailureClass } from "@bridle/ports";

/** One failed wire call, as the error of the whole call tells it (L21). */
export interface AttemptRecord {
  readonly target: string;
  /** Counts from 1 within the call. */
  readonly wireCall: number;
  readonly class: FailureClass;
  readonly status: number | undefined;
  readonly message: string;
}
