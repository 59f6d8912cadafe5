import { createHash } from "node:crypto";

import { sleep } from "@bridle/kernel";
import type { Submit } from "@bridle/orchestrator";
import { bridleError, isTerminalRun, submitBodySchema } from "@bridle/protocol";
import type { RunStatus, Submitted } from "@bridle/protocol";

import { requestInvalid } from "../http/problem-of.ts";
import { traceIdOf } from "../http/trace-context.ts";
import type { ApiContext, ApiRequest } from "./route-context.ts";

/** What people send as a key: a UUID, a hash, a job's name. */
const longestKey = 255;

export async function submitRun(request: ApiRequest, context: ApiContext): Promise<Submitted> {
  if (context.draining.aborted) throw bridleError("shutting_down");
  const answer = await submitGoverned(request, context);
  const { wait } = request.query as { wait?: number };
  const status = wait === undefined ? "QUEUED" : await statusWithin(answer.runId, wait, context);
  void request.reply.header("location", `/api/v1/runs/${answer.runId}`);
  return { runId: answer.runId, traceId: answer.traceId, status };
}

/** Only a run that is new counts: neither a refused submit nor a repeated one does (GV-1, S9). */
async function submitGoverned(
  request: ApiRequest,
  context: ApiContext,
): Promise<Awaited<ReturnType<Submit>>> {
  const { spec, input } = readSubmit(request.body);
  const giveBack = context.governRun(request.principal.id);
  try {
    const answer = await context.submit({
      spec,
      input,
      tenant: request.principal.id,
      tenantPerDay: request.principal.perDay,
      traceId: traceIdOf(headerOf(request, "traceparent")) ?? context.newTraceId(),
      idempotency: idempotencyOf(request, { spec, input }),
    });
    if (answer.outcome === "same") giveBack();
    return answer;
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** `{spec, input}`, or the workflow itself: no workflow has a member `spec`. */
function readSubmit(body: unknown): {
  readonly spec: unknown;
  readonly input: Readonly<Record<string, unknown>>;
} {
  if (typeof body !== "object" || body === null || !Object.hasOwn(body, "spec")) {
    return { spec: body, input: {} };
  }
  const parsed = submitBodySchema.safeParse(body);
  if (!parsed.success) throw requestInvalid(parsed.error, "");
  return parsed.data;
}

function headerOf(request: ApiRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Scoped to the key that asks: two callers who choose the same key do not meet. */
function idempotencyOf(
  request: ApiRequest,
  body: unknown,
): { key: string; bodyHash: string } | undefined {
  const key = headerOf(request, "idempotency-key");
  if (key === undefined) return undefined;
  if (key.length === 0 || key.length > longestKey) {
    throw bridleError("request_invalid", {
      message: `The Idempotency-Key has ${key.length} characters; send 1 to ${longestKey}.`,
    });
  }
  const bodyHash = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  return { key: `${request.principal.id}:${key}`, bodyHash };
}

/** The run's status when it ends, or after `waitMs`. Shutting down ends the wait. */
async function statusWithin(
  runId: string,
  waitMs: number,
  context: ApiContext,
): Promise<RunStatus> {
  const { clock, wakes, limits, views, draining } = context;
  const untilMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const changed = new AbortController();
    const unlisten = wakes.listen(runId, () => changed.abort());
    try {
      // oxlint-disable-next-line no-await-in-loop -- looks again after each change
      const { status } = await views.view(runId);
      const leftMs = untilMs - clock.monotonicMs();
      if (isTerminalRun(status) || leftMs <= 0 || draining.aborted) return status;
      const signal = AbortSignal.any([changed.signal, draining]);
      // oxlint-disable-next-line no-await-in-loop -- see above
      await sleep({ clock, ms: Math.min(leftMs, limits.pollMs), signal }).catch(() => undefined);
    } finally {
      unlisten();
    }
  }
}
