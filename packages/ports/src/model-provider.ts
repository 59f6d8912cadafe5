import type { Message, TokenUsage } from "@bridle/protocol";

export interface WireRequest {
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  readonly temperature?: number | undefined;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
}

export type WirePart =
  | { readonly type: "text"; readonly text: string }
  /** Thinking: output that is billed and counts as life, but is no part of the answer. */
  | { readonly type: "reasoning"; readonly text: string }
  /** Bytes came that carry no output: pings, comments, headers. */
  | { readonly type: "activity" }
  /** All that is known by now; `unsound`: what this report said that is no count. */
  | {
      readonly type: "usage";
      readonly usage: TokenUsage;
      readonly unsound?: readonly { readonly field: string; readonly value: string }[] | undefined;
    }
  | {
      readonly type: "finish";
      readonly reason: "stop" | "length" | "content_filter" | "error" | "other";
      readonly raw: string | undefined;
    };

export { failureClasses } from "@bridle/protocol";
export type { FailureClass } from "@bridle/protocol";

/** Facts about a failed wire call, gathered where they are known. Never holds a credential. */
export interface WireFailure {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Provider's own code or type, lower case. */
  readonly providerCode?: string | undefined;
  readonly networkCode?: string | undefined;
  readonly message: string;
  /** How much of an answer had arrived. */
  readonly stage: "before_output" | "after_output";
  readonly malformed?: boolean | undefined;
}

/** Thrown by a provider's stream, and by nothing else there. */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly failure: WireFailure;
  constructor(failure: WireFailure, options?: { readonly cause?: unknown }) {
    super(failure.message, options);
    this.failure = failure;
  }
}

/** One model of one provider: exactly one wire call per `stream`, no retry of its own. */
export interface ModelTarget {
  /** `provider/model`. */
  readonly key: string;
  stream(request: WireRequest): AsyncIterable<WirePart>;
}
