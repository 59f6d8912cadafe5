import type { Clock, Random } from "@bridle/kernel";
import {
  agentListSchema,
  alertListSchema,
  breakerListSchema,
  breakerOrderSchema,
  burnBoardSchema,
  envelopeListSchema,
  envelopeViewSchema,
  eventPageSchema,
  runPageSchema,
  runViewSchema,
  submittedSchema,
} from "@bridle/protocol";
import type {
  AgentList,
  AlertList,
  BreakerAction,
  BreakerList,
  BreakerOrder,
  BurnBoard,
  EnvelopeList,
  EnvelopeView,
  EventPage,
  RaiseBody,
  RunPage,
  RunStatus,
  RunView,
  Submitted,
} from "@bridle/protocol";

import { followRun } from "./follow-run.ts";
import type { FollowOptions, StreamMessage } from "./follow-run.ts";
import { ask } from "./http.ts";
import type { Call, Connection, Fetch } from "./http.ts";

export interface ClientOptions {
  /** Where the server listens, e.g. `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly requestTimeoutMs?: number | undefined;
}

export interface SubmitOptions {
  /** Makes the submit safe to repeat for 24 hours. */
  readonly idempotencyKey?: string | undefined;
  readonly traceparent?: string | undefined;
  /** How long the server may hold the answer back for the run to end. */
  readonly waitMs?: number | undefined;
}

export interface ListQuery {
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
  readonly traceId?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Every method rejects with a CodedError: the server's own, or `server_unreachable`. */
export interface Client {
  submit(
    spec: unknown,
    input: Readonly<Record<string, unknown>>,
    options?: SubmitOptions,
  ): Promise<Submitted>;
  get(runId: string): Promise<RunView>;
  list(query?: ListQuery): Promise<RunPage>;
  /** Entries after `afterSeq`, oldest first. */
  events(runId: string, page?: { afterSeq?: number; limit?: number }): Promise<EventPage>;
  /** Ends after `run.finished`. Comes back by itself after a broken connection, missing and doubling nothing. */
  follow(runId: string, options?: FollowOptions): AsyncGenerator<StreamMessage, void>;
  cancel(runId: string, reason?: string): Promise<RunView>;
  cancelTask(runId: string, taskId: string, reason?: string): Promise<RunView>;
  pause(runId: string, reason?: string): Promise<RunView>;
  resume(runId: string): Promise<RunView>;
  budgets(runId: string): Promise<EnvelopeList>;
  /** Adds to an envelope's limits, the run's unless another is named. A paused run still wants a `resume`. */
  raise(runId: string, add: RaiseBody): Promise<EnvelopeView>;
  agents(): Promise<AgentList>;
  breakers(): Promise<BreakerList>;
  /** Holds a breaker open, closed, off or observing in every worker, or resets it. `for` such as `10m`; an hour by default. */
  orderBreaker(
    key: string,
    action: BreakerAction,
    order: { readonly reason: string; readonly for?: string | undefined },
  ): Promise<BreakerOrder>;
  /** What the guards had to tell, newest first, and what became of each webhook's copy. */
  alerts(limit?: number): Promise<AlertList>;
  /** Who spends most now. */
  burn(by?: "money" | "tokens"): Promise<BurnBoard>;
}

function queryOf(values: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

function runPath(runId: string, rest = ""): string {
  return `/runs/${encodeURIComponent(runId)}${rest}`;
}

function submitCall(
  body: { readonly spec: unknown; readonly input: Readonly<Record<string, unknown>> },
  { idempotencyKey, traceparent, waitMs }: SubmitOptions,
): Call & { extraMs: number } {
  return {
    method: "POST",
    path: `/runs${queryOf({ wait: waitMs === undefined ? undefined : `${waitMs}ms` })}`,
    headers: {
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    body,
    extraMs: waitMs ?? 0,
  };
}

export function createClient(options: ClientOptions): Client {
  const connection: Connection & { random: Random } = {
    url: options.url.replace(/\/+$/, ""),
    apiKey: options.apiKey,
    fetch: options.fetch,
    clock: options.clock,
    random: options.random,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
  };
  const control = (path: string, body: unknown): Promise<RunView> =>
    ask(connection, runViewSchema, { method: "POST", path, body });
  return {
    submit: (spec, input, submitOptions = {}) =>
      ask(connection, submittedSchema, submitCall({ spec, input }, submitOptions)),
    get: (runId) => ask(connection, runViewSchema, { method: "GET", path: runPath(runId) }),
    list: (query = {}) =>
      ask(connection, runPageSchema, { method: "GET", path: `/runs${queryOf({ ...query })}` }),
    events: (runId, { afterSeq, limit } = {}) =>
      ask(connection, eventPageSchema, {
        method: "GET",
        path: runPath(runId, `/events${queryOf({ after: afterSeq, limit })}`),
      }),
    follow: (runId, followOptions = {}) => followRun(connection, runId, followOptions),
    cancel: (runId, reason) => control(runPath(runId, "/cancel"), bodyOf(reason)),
    cancelTask: (runId, taskId, reason) =>
      control(runPath(runId, `/tasks/${encodeURIComponent(taskId)}/cancel`), bodyOf(reason)),
    pause: (runId, reason) => control(runPath(runId, "/pause"), bodyOf(reason)),
    resume: (runId) => control(runPath(runId, "/resume"), {}),
    ...guardCalls(connection),
  };
}

function guardCalls(
  connection: Connection,
): Pick<Client, "budgets" | "raise" | "agents" | "breakers" | "orderBreaker" | "alerts" | "burn"> {
  return {
    budgets: (runId) =>
      ask(connection, envelopeListSchema, {
        method: "GET",
        path: `/budgets/${encodeURIComponent(runId)}`,
      }),
    raise: (runId, add) =>
      ask(connection, envelopeViewSchema, {
        method: "POST",
        path: runPath(runId, "/budget"),
        body: add,
      }),
    agents: () => ask(connection, agentListSchema, { method: "GET", path: "/agents" }),
    breakers: () => ask(connection, breakerListSchema, { method: "GET", path: "/breakers" }),
    orderBreaker: (key, action, order) =>
      ask(connection, breakerOrderSchema, {
        method: "POST",
        path: `/breakers/${encodeURIComponent(key)}/${action}`,
        body: order.for === undefined ? { reason: order.reason } : order,
      }),
    alerts: (limit) =>
      ask(connection, alertListSchema, { method: "GET", path: `/alerts${queryOf({ limit })}` }),
    burn: (by) =>
      ask(connection, burnBoardSchema, { method: "GET", path: `/burn${queryOf({ by })}` }),
  };
}

function bodyOf(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}
