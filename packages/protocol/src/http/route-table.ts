import { z } from "zod";

import {
  agentListSchema,
  cancelBodySchema,
  envelopeViewSchema,
  eventPageSchema,
  healthSchema,
  raiseBodySchema,
  readinessSchema,
  resumeBodySchema,
  runPageSchema,
  runViewSchema,
  submitBodySchema,
  submittedSchema,
} from "../api.ts";
import { durationSchema } from "../duration.ts";
import { runStatuses } from "../states.ts";
import { guardRoutes } from "./guard-routes.ts";
import { api } from "./route.ts";
import type { Route } from "./route.ts";

/** The longest a submit is held back: proxies commonly cut idle answers after a minute. */
const longestWaitMs = 55_000;

const wait = durationSchema.refine((ms) => ms <= longestWaitMs, {
  error: `Wait at most ${longestWaitMs / 1000}s; follow the run's stream for longer.`,
});

export const routeTable = {
  submitRun: {
    method: "POST",
    path: `${api}/runs`,
    summary:
      "Submits a workflow. The body is `{spec, input}`, or the workflow itself, as JSON or YAML. `wait` holds the answer back until the run ends, at most that long.",
    scope: "submit",
    query: z.strictObject({ wait: wait.optional() }),
    body: submitBodySchema,
    yamlBody: true,
    headers: {
      "Idempotency-Key":
        "Makes the submit safe to repeat for 24 hours: the same body gets the first answer, another body 409.",
      traceparent: "W3C trace context the run joins.",
    },
    status: 202,
    answer: submittedSchema,
    errors: [
      "spec_invalid",
      "input_invalid",
      "body_malformed",
      "body_too_large",
      "media_type_unsupported",
      "idempotency_conflict",
      "rate_governed",
      "day_budget_spent",
      "shutting_down",
    ],
  },
  listRuns: {
    method: "GET",
    path: `${api}/runs`,
    summary: "Runs, newest first, a page at a time.",
    scope: "read",
    query: z.strictObject({
      status: z.enum(runStatuses).optional(),
      workflow: z.string().max(64).optional(),
      traceId: z.string().max(64).optional(),
      cursor: z.string().max(200).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    status: 200,
    answer: runPageSchema,
    errors: [],
  },
  getRun: {
    method: "GET",
    path: `${api}/runs/:runId`,
    summary: "One run: its tasks, budget, output and, when it ended abnormally, why.",
    scope: "read",
    status: 200,
    answer: runViewSchema,
    errors: ["run_not_found"],
  },
  listEvents: {
    method: "GET",
    path: `${api}/runs/:runId/events`,
    summary: "The run's log, oldest first, a page at a time.",
    scope: "read",
    query: z.strictObject({
      after: z.coerce.number().int().nonnegative().default(0),
      limit: z.coerce.number().int().min(1).max(1000).default(200),
    }),
    status: 200,
    answer: eventPageSchema,
    errors: ["run_not_found"],
  },
  streamRun: {
    method: "GET",
    path: `${api}/runs/:runId/stream`,
    summary:
      "The run as server-sent events: first `run.snapshot`, last `run.finished`, `ping` every 15 s. With `Last-Event-ID` it goes on behind that sequence number; `0` replays the whole log; a number beyond the log gets a new snapshot with `resync: true`; 204 when nothing is left to send.",
    scope: "read",
    headers: { "Last-Event-ID": "Sequence number of the last event received." },
    status: 200,
    mediaType: "text/event-stream",
    errors: ["run_not_found", "shutting_down"],
  },
  cancelRun: {
    method: "POST",
    path: `${api}/runs/:runId/cancel`,
    summary: "Stops a run: no further money is spent from now on, its tasks are told to stop.",
    scope: "operate",
    body: cancelBodySchema,
    status: 202,
    answer: runViewSchema,
    errors: ["run_not_found", "run_already_ended"],
  },
  cancelTask: {
    method: "POST",
    path: `${api}/runs/:runId/tasks/:taskId/cancel`,
    summary: "Stops one task and what depends on it.",
    scope: "operate",
    body: cancelBodySchema,
    status: 202,
    answer: runViewSchema,
    errors: ["run_not_found", "task_not_found", "run_already_ended"],
  },
  pauseRun: {
    method: "POST",
    path: `${api}/runs/:runId/pause`,
    summary: "Starts nothing new in this run; what is running goes on to its end.",
    scope: "operate",
    body: cancelBodySchema,
    status: 202,
    answer: runViewSchema,
    errors: ["run_not_found", "run_already_ended"],
  },
  resumeRun: {
    method: "POST",
    path: `${api}/runs/:runId/resume`,
    summary: "Lets a paused run go on.",
    scope: "operate",
    body: resumeBodySchema,
    status: 202,
    answer: runViewSchema,
    errors: ["run_not_found", "run_already_ended", "run_not_resumable"],
  },
  raiseBudget: {
    method: "POST",
    path: `${api}/runs/:runId/budget`,
    summary:
      "Adds to the limits of a run's envelope, or of one task's. What tripped is free again when less than nine tenths of the new limit is spent; a paused run goes on where it stopped once it is resumed.",
    scope: "operate",
    body: raiseBodySchema,
    status: 200,
    answer: envelopeViewSchema,
    errors: ["run_not_found", "task_not_found", "run_already_ended"],
  },
  listAgents: {
    method: "GET",
    path: `${api}/agents`,
    summary: "The agents a workflow may name.",
    scope: "read",
    status: 200,
    answer: agentListSchema,
    errors: [],
  },
  ...guardRoutes,
  healthz: {
    method: "GET",
    path: "/healthz",
    summary: "Whether this process is alive. Looks at its own loops only, never at store or queue.",
    scope: "open",
    status: 200,
    answer: healthSchema,
    errors: [],
  },
  readyz: {
    method: "GET",
    path: "/readyz",
    summary:
      "Whether this process can take work: the store answers, its parts run, it is not shutting down. Says what the store survives.",
    scope: "open",
    status: 200,
    answer: readinessSchema,
    errors: [],
  },
  openapi: {
    method: "GET",
    path: "/openapi.json",
    summary: "This API as OpenAPI 3.1.",
    scope: "open",
    status: 200,
    mediaType: "application/json",
    errors: [],
  },
  docs: {
    method: "GET",
    path: "/docs",
    summary: "This API as a page.",
    scope: "open",
    status: 200,
    mediaType: "text/html",
    errors: [],
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routeTable;

/** Codes any route may answer with. */
export const commonErrors = [
  "request_invalid",
  "unauthorized",
  "forbidden",
  "store_unavailable",
  "internal",
] as const;
