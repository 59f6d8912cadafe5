import type { IsolateRequest, Payload, WireFault } from "@bridle/protocol";

import { takePayload } from "../wire/payload.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { serveBudget } from "./serve-budget.ts";
import { serveModel } from "./serve-model.ts";
import { beginStep, endStep } from "./serve-step.ts";
import { beginTool, endTool, runSupervisorTool } from "./serve-tool.ts";
import type { ToolEnding } from "./tool-outcome.ts";

/** Answers one request of an isolate with JSON text, or rejects with what its agent is to see. */
export async function serveRequest(
  scope: AttemptScope,
  request: IsolateRequest,
  onDelta: (text: string) => void,
): Promise<string> {
  const text = (payload: Payload): string =>
    takePayload(payload, {
      folder: scope.folder,
      maxBytes: scope.worker.settings.outputBytes,
    });
  switch (request.op) {
    case "llm":
      return serveModel(scope, text(request.request), request.deltas ? onDelta : undefined);
    case "tool.begin":
      return beginTool(scope, request.name, text(request.args));
    case "tool.end":
      return endTool(scope, request.step, endingOf(request.outcome, text));
    case "tool.run":
      return runSupervisorTool(scope, request.name, text(request.args));
    case "step.begin":
      return beginStep(scope, request);
    case "step.end":
      return endStep(scope, request.step, endingOf(request.outcome, text));
    case "budget":
      return serveBudget(scope);
  }
}

type Outcome =
  | { readonly result: Payload }
  | { readonly error: WireFault; readonly status?: number | undefined };

function endingOf(outcome: Outcome, text: (payload: Payload) => string): ToolEnding {
  if ("result" in outcome) {
    const result = text(outcome.result);
    // The isolate's word is not taken for it: what is stored must be JSON.
    JSON.parse(result);
    return { kind: "result", text: result };
  }
  const { code, message } = outcome.error;
  return { kind: "error", code, message, status: outcome.status };
}
