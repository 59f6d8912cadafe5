/**
 * BR-14: which tier an outcome speaks about. A table over what is known by structure, a class or a cause, and never over
 * the words of a message: a 500 that says "unsupported parameter" is still a 500.
 *
 * A success says something good about everyone who took part. `ignored` gives the permit back without a verdict.
 */
import { endCauses } from "@bridle/protocol";
import type { EndCause, FailureClass } from "@bridle/protocol";

import type { Verdict } from "./trigger.ts";

export type ToolOutcome =
  | "success"
  | "server_error"
  | "network"
  | "step_timeout"
  /** The tool's own code threw. */
  | "threw"
  | "arguments_invalid"
  /** A 4xx from a remote: data for the agent. */
  | "client_error"
  /** The tool says `fault: 'caller'` of its error. */
  | "caller_fault"
  | "cancelled";

/** `malformed_tool_calls`: the model called tools in a form that cannot be read, again and again. */
export type ModelOutcome = "success" | FailureClass | "malformed_tool_calls";

export type CallOutcome =
  | { readonly kind: "tool"; readonly outcome: ToolOutcome }
  | { readonly kind: "model"; readonly outcome: ModelOutcome }
  | { readonly kind: "task"; readonly outcome: "completed" | EndCause }
  /** Nothing left this process: another guard refused, or a cache answered. */
  | { readonly kind: "not_sent" };

export interface Routed {
  readonly tool: Verdict;
  readonly agent: Verdict;
  readonly provider: Verdict;
  /** What failed, for the event. */
  readonly failureKind?: string | undefined;
}

type Row = "none" | "all" | "tool" | "agent" | "provider";

const toolRows: Readonly<Record<ToolOutcome, Row>> = {
  success: "all",
  server_error: "tool",
  network: "tool",
  step_timeout: "tool",
  threw: "tool",
  arguments_invalid: "agent",
  client_error: "none",
  caller_fault: "none",
  cancelled: "none",
};

const modelRows: Readonly<Record<ModelOutcome, Row>> = {
  success: "all",
  server_error: "provider",
  overloaded: "provider",
  network: "provider",
  timeout: "provider",
  malformed: "provider",
  // Not a model API behind the address: no call to this target can come out well.
  misconfigured: "provider",
  // The credential cools instead.
  rate_limit: "none",
  auth: "none",
  billing: "none",
  bad_request: "agent",
  context_overflow: "agent",
  malformed_tool_calls: "agent",
  // An unlisted 4xx: like a bad request, and unrelated agents must not lose the provider over it.
  unknown: "agent",
  // The target is marked by the call layer, which then falls back; neither party misbehaved.
  model_not_found: "none",
  refusal: "none",
  aborted: "none",
};

/** Says, per tier, whether an outcome is a success, a failure or none of its business. */
export function routeOutcome(call: CallOutcome): Routed {
  switch (call.kind) {
    case "tool":
      return routed(toolRows[call.outcome], call.outcome);
    case "model":
      return routed(modelRows[call.outcome], call.outcome);
    case "task":
      return routed(rowOfTask(call.outcome), call.outcome);
    case "not_sent":
      return routed("none", "not_sent");
  }
}

function rowOfTask(outcome: "completed" | EndCause): Row {
  if (outcome === "completed") return "all";
  return endCauses[outcome].breakerTick === "agent" ? "agent" : "none";
}

function routed(row: Row, failureKind: string): Routed {
  if (row === "all") return { tool: "success", agent: "success", provider: "success" };
  const nobody = { tool: "ignored", agent: "ignored", provider: "ignored" } as const;
  return row === "none" ? nobody : { ...nobody, [row]: "failure", failureKind };
}

/** A tool's HTTP answer by its status alone: 5xx is the tool's failure, any other error status is data. */
export function toolOutcomeOfStatus(status: number): ToolOutcome {
  if (status >= 500) return "server_error";
  return status >= 400 ? "client_error" : "success";
}
