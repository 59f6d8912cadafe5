import type { IsolateRequest, Payload, WireFault } from "@bridle/protocol";

import { takePayload } from "../wire/payload.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import { serveAwait } from "./serve-await.ts";
import { serveBudget } from "./serve-budget.ts";
import { serveModel } from "./serve-model.ts";
import { serveSpawn } from "./serve-spawn.ts";
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
  if (isOther(request)) return serveOther(scope, request, text);
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
  }
}

type Other = Extract<IsolateRequest, { readonly op: "budget" | "spawn" | "await" }>;

function isOther(request: IsolateRequest): request is Other {
  return request.op === "budget" || request.op === "spawn" || request.op === "await";
}

/** What needs no call of its own to the outside. */
async function serveOther(
  scope: AttemptScope,
  request: Other,
  text: (payload: Payload) => string,
): Promise<string> {
  switch (request.op) {
    case "budget":
      return serveBudget(scope);
    case "spawn":
      return serveSpawn(scope, text(request.request));
    case "await":
      return serveAwait(scope, request.taskId);
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
