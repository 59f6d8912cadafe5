import type { CodedError } from "@bridle/kernel";
import type { EndCause, WireFault } from "@bridle/protocol";

import { endCauseOf } from "./end-cause-of.ts";

/** How an attempt ended, before the figures of its stop are known. */
export type AttemptEnd = { readonly status: "completed"; readonly output: string } | FailedEnd;

export interface FailedEnd {
  readonly status: "failed";
  readonly cause: EndCause;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  /** The figures the end rests on. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

const longestMessage = 2000;

export function failedBy(
  error: CodedError,
  evidence: Readonly<Record<string, unknown>> = {},
): FailedEnd {
  const { retryAfterMs } = error.details;
  return {
    status: "failed",
    cause: endCauseOf(error.code),
    code: error.code,
    message: error.message.slice(0, longestMessage),
    retryable: error.retryable,
    ...(typeof retryAfterMs === "number"
      ? { retryAfterMs: Math.max(0, Math.ceil(retryAfterMs)) }
      : {}),
    evidence: { ...error.details, ...evidence },
  };
}

/**
 * What an isolate says about its agent's error. `known` is the supervisor's own record of the refusal the agent let pass: an agent
 * cannot claim an end cause it was not given. Only `output_invalid` may come from the isolate itself, which checks the schema.
 */
export function failedByAgent(fault: WireFault, known: CodedError | undefined): FailedEnd {
  if (known !== undefined) return failedBy(known);
  const isOutput = fault.code === "output_invalid";
  return {
    status: "failed",
    cause: isOutput ? "output_invalid" : "agent_error",
    code: fault.code === "" ? "agent_failed" : fault.code,
    message: fault.message.slice(0, longestMessage),
    retryable: fault.retryable,
    evidence: fault.stack === undefined ? {} : { stack: fault.stack.slice(0, 4000) },
  };
}
