import type { AnyTool } from "@bridle/agent";
import { toolOutcomeOfStatus } from "@bridle/breaker";
import type { ToolOutcome } from "@bridle/breaker";
import type { CodedError } from "@bridle/kernel";

/** How a tool call ended, as its bracket tells it. */
export type ToolEnding =
  | { readonly kind: "result"; readonly text: string }
  | {
      readonly kind: "error";
      readonly code: string;
      readonly message: string;
      readonly status?: number | undefined;
    };

const networkCodes = /^(E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_)|ENOTFOUND|UND_ERR)/;

/** BR-14, by structure and never by the words of a message. `stopped`: why the attempt was being stopped, if it was. */
export function toolOutcomeOf(
  ending: ToolEnding,
  tool: Pick<AnyTool, "fault">,
  stopped: CodedError | undefined,
): ToolOutcome {
  if (ending.kind === "result") return "success";
  if (stopped !== undefined) return stopped.code === "step_timeout" ? "step_timeout" : "cancelled";
  if (ending.code === "tool_arguments_invalid") return "arguments_invalid";
  if (ending.status !== undefined) return ofStatus(ending.status, tool);
  return networkCodes.test(ending.code) ? "network" : "threw";
}

function ofStatus(status: number, { fault }: Pick<AnyTool, "fault">): ToolOutcome {
  const outcome = toolOutcomeOfStatus(status);
  if (outcome === "client_error" && fault === "caller") return "caller_fault";
  // An error that carries a success status has its own idea of failure: the tool's.
  return outcome === "success" ? "threw" : outcome;
}
