import { asRunId, bridleError, eventClasses } from "@bridle/protocol";
import type { TransientEvent } from "@bridle/protocol";

import { responseSink } from "../stream/sink.ts";
import { streamRun } from "../stream/stream-run.ts";
import type { ApiContext, ApiRequest } from "./route-context.ts";

export async function streamRunRoute(request: ApiRequest, context: ApiContext): Promise<unknown> {
  const { store, clock, wakes, limits, draining, views } = context;
  const { view, finishedSeq } = await views.see(request.params["runId"] ?? "");
  if (draining.aborted || wakes.size >= limits.streams)
    throw bridleError("shutting_down", {
      message: "This server takes no further streams now; come back in a moment.",
    });
  const afterSeq = lastEventId(request);
  if (
    finishedSeq !== undefined &&
    afterSeq !== undefined &&
    afterSeq >= finishedSeq &&
    afterSeq <= view.seq
  ) {
    // Tells an EventSource not to come back.
    return request.reply.code(204).send();
  }
  request.reply.hijack();
  const response = request.reply.raw;
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "trace-id": request.traceId,
  });
  const sink = responseSink({ response, clock, slowReaderMs: limits.slowReaderMs });
  // Nobody waits for a reader that is behind: it comes back with the number of the last entry it saw.
  const endStream = (): void => void (sink.isBehind ? response.destroy() : sink.end());
  draining.addEventListener("abort", endStream, { once: true });
  await streamRun({
    runId: asRunId(view.runId),
    view,
    finishedSeq,
    afterSeq,
    sink,
    runs: store.runs,
    clock,
    listen: (wake) => wakes.listen(view.runId, wake),
    listenTransient: (handler) => transientsOf(context, view.runId, handler),
    pollMs: limits.pollMs,
    pingMs: limits.pingMs,
  }).catch((error: unknown) => {
    // The reader comes back by itself and then gets an answer it can read.
    request.log.warn("stream broken", { error });
    response.destroy();
  });
  draining.removeEventListener("abort", endStream);
  return undefined;
}

/** NaN for a header that is no number: the reader gets a new snapshot. */
function lastEventId(request: ApiRequest): number | undefined {
  const value = request.headers["last-event-id"];
  if (value === undefined || value === "") return undefined;
  return typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
}

function transientsOf(
  { bus }: ApiContext,
  runId: string,
  handler: (event: TransientEvent) => void,
): () => void {
  return bus.onAny((event) => {
    if (eventClasses[event.type] !== "transient") return;
    // The class of its type says that it is one.
    const transient = event as TransientEvent;
    if (transient.runId === runId) handler(transient);
  });
}
