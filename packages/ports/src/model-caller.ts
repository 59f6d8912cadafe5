import type { Amounts, ModelRequest, ModelResponse } from "@bridle/protocol";

import type { FailureClass } from "./model-provider.ts";
import type { WireAdmission } from "./wire-admission.ts";

/** What a call tells its supervisor while it runs. Contract: the listener never throws and never blocks. */
export type ModelCallEvent =
  /** One wire call has ended; `wireCall` counts from 1 within this call. Becomes `llm.attempt`. */
  | {
      readonly type: "attempt";
      readonly target: string;
      readonly wireCall: number;
      readonly outcome: "success" | "failure";
      readonly class?: FailureClass | undefined;
      readonly status?: number | undefined;
      /** The target is not to be asked again before this is over: it said so. */
      readonly retryAfterMs?: number | undefined;
    }
  /** What was decided after a failure; `delayMs` is slept before the next wire call (WD-2: WAITING(retry)). Becomes `llm.decision`. */
  | {
      readonly type: "decision";
      readonly action: string;
      readonly class: FailureClass;
      readonly delayMs: number;
    }
  /** A wire call is about to be admitted: the wait of a retry, if any, is over. The step clock starts afresh from here. */
  | { readonly type: "sending"; readonly target: string; readonly wireCall: number }
  /** The provider reported a usage that is no count (BU-16); told once per wire call and field. */
  | {
      readonly type: "unsound_usage";
      readonly target: string;
      readonly field: string;
      readonly value: string;
    }
  /** Output that counts arrived (WD-9): the step clock moves. Emitted per part, coalesced by the listener. */
  | { readonly type: "progress" }
  /** Bytes without output: pings, comments. Never moves a deadline. */
  | { readonly type: "activity" };

export interface ModelCall {
  /** `request.model` names a configured model. */
  readonly request: ModelRequest;
  /** Asked once per wire call, first tries and retries alike. */
  readonly admission: WireAdmission;
  /** `background` fails at once on overload (L12). */
  readonly priority: "foreground" | "background";
  /** False forbids another model than the one asked for. */
  readonly allowModelFallback: boolean;
  /** Targets to leave out, as long as one is left: they have failed this step, and nobody says that their time has come. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Text as it streams. Contract: synchronous, never throws. */
  readonly onDelta?: ((text: string) => void) | undefined;
  readonly onEvent: (event: ModelCallEvent) => void;
  /**
   * Ends the call at once, retries' sleeps included. Its reason is a CodedError: `step_timeout` counts against the provider as a
   * timeout, any other (`cancelled`, `task_timeout`, `task_stalled`, `fenced`, `shutting_down`) is neutral (BR-14).
   */
  readonly signal: AbortSignal;
  /** Instant on the shared monotonic clock after which nothing is sent any more (`deadline_passed`). */
  readonly deadlineMs: number;
  /** W3C `traceparent` for the provider. */
  readonly traceparent?: string | undefined;
}

export interface ModelCallResult {
  readonly response: ModelResponse;
  /** What all wire calls of this call were settled at together. */
  readonly spent: Amounts;
  /** What was done in place of what was asked for, e.g. `model:small instead of smart`; empty when nothing was. */
  readonly degraded: readonly string[];
}

/** What a configured model stands for. */
export interface ModelPlan {
  /** Keys `provider/model` in the order they are asked, at least one. */
  readonly targets: readonly string[];
  /** The configured model that stands in for it when it cannot be paid or reached (D2). */
  readonly cheaper?: string | undefined;
}

/**
 * The LLM call layer as its callers see it: one call, retried and classified inside.
 * Contract: rejects only with a CodedError (a `model_*` code, the admission's refusal unchanged, `deadline_passed`, or the
 * signal's own reason); every permit it was given is ended before it settles, also after an abort.
 */
export interface ModelCaller {
  call(call: ModelCall): Promise<ModelCallResult>;
  /** Undefined when no such model is configured. */
  plan(model: string): ModelPlan | undefined;
}
