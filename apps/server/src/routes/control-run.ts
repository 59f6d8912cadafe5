import type { InboxMessage } from "@bridle/ports";
import {
  asRunId,
  asTaskId,
  bridleError,
  isTerminalRun,
  nanoUsdPerUsd,
  taskIdSchema,
} from "@bridle/protocol";
import type { EnvelopeView, RaiseRequest, RunView } from "@bridle/protocol";

import { envelopeView } from "../views/run-views.ts";
import type { ApiContext, ApiRequest } from "./route-context.ts";

/** Asking to cancel closes the envelope in the same step: spending ends here, the tasks follow. */
export async function cancelRun(request: ApiRequest, context: ApiContext): Promise<RunView> {
  const view = await liveRun(request, context);
  return tell(context, view, {
    kind: "cancel",
    reason: reasonOf(request),
    by: request.principal.id,
  });
}

export async function cancelTask(request: ApiRequest, context: ApiContext): Promise<RunView> {
  const view = await liveRun(request, context);
  const taskId = request.params["taskId"] ?? "";
  if (!hasTask(view, taskId)) {
    throw bridleError("task_not_found", {
      message: `The run ${view.runId} has no task "${taskId}".`,
    });
  }
  const [reason, by] = [reasonOf(request), request.principal.id];
  return tell(context, view, { kind: "cancel", taskId: asTaskId(taskId), reason, by });
}

export async function pauseRun(request: ApiRequest, context: ApiContext): Promise<RunView> {
  const view = await liveRun(request, context);
  return tell(context, view, {
    kind: "pause",
    reason: reasonOf(request),
    by: request.principal.id,
  });
}

export async function resumeRun(request: ApiRequest, context: ApiContext): Promise<RunView> {
  const view = await liveRun(request, context);
  if (view.status !== "PAUSED") {
    throw bridleError("run_not_resumable", {
      message: `The run ${view.runId} is ${view.status}, not PAUSED.`,
    });
  }
  return tell(context, view, { kind: "resume", by: request.principal.id });
}

/** LF-2. Takes effect at once, whoever works on the run: admission looks at the envelope and nowhere else. */
export async function raiseBudget(request: ApiRequest, context: ApiContext): Promise<EnvelopeView> {
  const { runId } = await liveRun(request, context);
  // Parsed by the route's schema.
  const body = request.body as RaiseRequest;
  const { addTokens = 0, addUsd = 0, addCalls = 0 } = body;
  const by = { tokens: addTokens, nanoUsd: Math.round(addUsd * nanoUsdPerUsd), calls: addCalls };
  const envelope = body.envelope === "run" ? "run" : asTaskId(body.envelope);
  const { store, clock } = context;
  const raised = await store.ledger.raise(asRunId(runId), envelope, by, clock.wallMs());
  if (raised !== undefined) return envelopeView(raised);
  throw bridleError("task_not_found", {
    message: `The run ${runId} has no envelope "${envelope}". A task gets its own when it starts.`,
  });
}

function reasonOf({ body }: ApiRequest): string {
  return (body as { reason: string }).reason;
}

async function liveRun({ params }: ApiRequest, { views }: ApiContext): Promise<RunView> {
  const view = await views.view(params["runId"] ?? "");
  if (!isTerminalRun(view.status)) return view;
  throw bridleError("run_already_ended", {
    message: `The run ${view.runId} has already ended as ${view.status}.`,
  });
}

/** An item is there when its fan-out has that many. */
function hasTask(view: RunView, taskId: string): boolean {
  if (!taskIdSchema.safeParse(taskId).success) return false;
  if (view.tasks.some(({ id }) => id === taskId)) return true;
  const [, base, index] = /^(.+)\[(\d+)\]$/.exec(taskId) ?? [];
  const fanOut = view.tasks.find(({ id }) => id === base);
  return fanOut?.items !== undefined && Number(index) < fanOut.items.total;
}

async function tell(
  { store, clock, views }: ApiContext,
  { runId }: RunView,
  message: InboxMessage,
): Promise<RunView> {
  await store.inbox.put(asRunId(runId), message, clock.wallMs());
  return views.view(runId);
}
