import { createBus } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import { SimulatedClock, sequenceIds } from "@bridle/kernel/testing";
import { createSubmit } from "@bridle/orchestrator";
import { nothingDecided } from "@bridle/ports";
import type { Logger } from "@bridle/ports";
import { createMemoryStore } from "@bridle/ports/testing";
import type { MemoryStore } from "@bridle/ports/testing";
import { asRunId } from "@bridle/protocol";
import type { Amounts, DecisionEvent, Scope } from "@bridle/protocol";

import { createApi } from "../src/index.ts";
import type { Api, ApiLimits, GovernRun, PartState } from "../src/index.ts";

export const token = "brd_local_token";

export const spec = {
  name: "demo",
  tasks: [
    { id: "plan", agent: "planner" },
    { id: "write", agent: "planner", dependsOn: ["plan"] },
  ],
};

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

export interface World {
  readonly api: Api;
  readonly store: MemoryStore;
  readonly clock: SimulatedClock;
  readonly bus: Bus;
  parts: readonly PartState[];
  readonly logged: unknown[];
}

export interface WorldOptions {
  /** Scopes by credential; the install token is always an admin. */
  readonly keys?: Readonly<Record<string, readonly Scope[]>>;
  readonly limits?: Partial<ApiLimits>;
  readonly feed?: "on" | "off";
  readonly governRun?: GovernRun;
  /** Of the installation, and of each key; tokens, nano-USD and calls. */
  readonly perDay?: Amounts;
  readonly keyPerDay?: Amounts;
}

/** The API over a store in memory, without a scheduler: what a run does is written by `append`. */
export function startWorld(options: WorldOptions = {}): World {
  const { keys = {}, limits = {}, feed = "on", governRun = () => () => {} } = options;
  const { perDay, keyPerDay } = options;
  const clock = new SimulatedClock();
  const store = createMemoryStore({ clock, feed });
  const ids = sequenceIds();
  const logged: unknown[] = [];
  const bus = createBus({ onHandlerError: ({ error }) => logged.push(error) });
  const runIds = { next: () => ids.next("run").replace("_", "_0") };
  const submit = createSubmit({
    store,
    clock,
    ids: runIds,
    newTraceId: () => "0".repeat(31) + "1",
    agents: ["planner"],
    models: [],
    perDay,
  });
  const world: World = {
    store,
    clock,
    bus,
    logged,
    parts: [{ name: "scheduler", isAlive: true, isReady: true }],
    api: createApi({
      store,
      submit,
      governRun,
      bus,
      clock,
      log: { ...silent, error: (_message, fields) => void logged.push(fields) },
      newTraceId: () => "0".repeat(31) + "2",
      authenticator: {
        authenticate: async (credential) => {
          if (credential === token) return { id: "local", scopes: ["admin"] };
          const scopes = keys[credential];
          return scopes === undefined ? undefined : { id: credential, scopes, perDay: keyPerDay };
        },
      },
      site: { isLoopback: true, allowedHosts: [], allowedOrigins: [] },
      agents: [{ name: "planner", isolation: "process" }],
      parts: () => world.parts,
      version: "0.1.0",
      durability: "Survives nothing.",
      limits,
    }),
  };
  return world;
}

export interface Ask {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the install token; null sends none. */
  readonly key?: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

export async function ask(world: World, { key = token, ...call }: Ask): Promise<Answer> {
  const payload = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
  const answer = await world.api.inject({
    method: call.method ?? (payload === undefined ? "GET" : "POST"),
    url: call.url,
    headers: {
      host: "127.0.0.1:7070",
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...call.headers,
    },
    ...(payload === undefined ? {} : { payload }),
  });
  const isJson = /json/.test(String(answer.headers["content-type"]));
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: isJson ? JSON.parse(answer.body) : undefined,
  };
}

export async function submitDemo(world: World): Promise<string> {
  const { body } = await ask(world, { url: "/api/v1/runs", body: { spec, input: {} } });
  return (body as { runId: string }).runId;
}

let epochs = 0;

/** Appends decisions as the scheduler would. */
export async function append(
  world: World,
  runId: string,
  ...events: readonly Record<string, unknown>[]
): Promise<void> {
  const { store, clock } = world;
  const id = asRunId(runId);
  const stored = await store.runs.load(id);
  const lease = await store.leases.acquire("test", `holder-${++epochs}`, 60_000);
  const epoch = lease?.epoch ?? 0;
  const decisions = events.map(
    (event) => Object.assign({ at: clock.wallMs(), runId: id }, event) as unknown as DecisionEvent,
  );
  const finished = decisions.find((event) => event.type === "run.finished");
  const answer = await store.runs.commit({
    ...nothingDecided,
    runId: id,
    lease: { name: "test", epoch },
    expectedDecisions: stored?.decisions ?? 0,
    events: decisions,
    status: finished?.type === "run.finished" ? finished.status : "RUNNING",
    ...(finished === undefined ? {} : { output: '{"answer":42}' }),
    at: clock.wallMs(),
  });
  await store.leases.release("test", `holder-${epochs}`);
  if (!answer.committed) throw new Error(`not committed: ${answer.reason}`);
}

export const finished = {
  type: "run.finished",
  status: "COMPLETED",
  degraded: [],
  hasOutput: true,
};
