import type { AnyAgent } from "@bridle/agent";
import { BreakerSet } from "@bridle/breaker";
import { createBus } from "@bridle/bus";
import type { Clock, Ids } from "@bridle/kernel";
import { seededRandom } from "@bridle/kernel/testing";
import { nothingDecided } from "@bridle/ports";
import type { ModelCall, ModelCallResult, ModelPlan, Store, TaskQueue } from "@bridle/ports";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import type { MemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type {
  Amounts,
  BreakerTerms,
  BridleEvent,
  EnvelopeState,
  EnvelopeTerms,
  LogEntry,
  RunId,
  TaskId,
  TaskOutcome,
} from "@bridle/protocol";

import { createLocalScanner, createRunner } from "../src/index.ts";
import type { AgentLine, Runner, RunnerOptions, Scanner } from "../src/index.ts";

const plenty: Amounts = { tokens: 1_000_000, nanoUsd: 5_000_000_000, calls: 400 };

export interface TaskToRun {
  readonly agent: string;
  readonly input?: unknown;
  readonly limit?: Partial<Amounts>;
  readonly runLimit?: Partial<Amounts>;
  readonly taskMs?: number;
  readonly stepMs?: number;
  /** Default `test`. */
  readonly workflow?: string;
  readonly breaker?: BreakerTerms;
  readonly envelopeTokens?: number;
  /** Of the run's envelope and the task's, and what the task is told. Default `nothing`. */
  readonly onTrip?: EnvelopeTerms["onTrip"];
  readonly allowModelFallback?: boolean;
  readonly tenant?: string;
  readonly hasSimplerFlow?: true;
  readonly openingHold?: string;
}

export interface RunningTask {
  readonly runId: RunId;
  readonly taskId: TaskId;
}

export interface RigOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly agents: readonly AnyAgent[];
  readonly model?: (call: ModelCall) => Promise<ModelCallResult>;
  readonly plan?: (name: string) => ModelPlan | undefined;
  readonly scanner?: RunnerOptions["scanner"];
  readonly settings?: RunnerOptions["settings"];
  readonly environment?: RunnerOptions["environment"];
  readonly stateFolder?: string;
  readonly bootId?: string;
  readonly onRetire?: RunnerOptions["onRetire"];
  readonly onEvent?: (event: BridleEvent) => void;
  /** Puts something between the runner and the store. */
  readonly wrapStore?: (store: MemoryStore) => Store;
  readonly breaker?: ConstructorParameters<typeof BreakerSet>[0]["settings"];
}

export interface Rig {
  readonly store: MemoryStore;
  readonly queue: TaskQueue;
  readonly runner: Runner;
  readonly breakers: BreakerSet;
  readonly bus: BridleEvent[];
  readonly lines: AgentLine[];
  readonly scanners: Scanner[];
  dispatch(task: TaskToRun): Promise<RunningTask>;
  /** Raises the fence and enqueues another attempt of the same task. */
  redispatch(task: RunningTask, attempt: number, agent: string): Promise<void>;
  /** As a scheduler would: the order, and the envelope closed, in one commit. */
  cancel(task: RunningTask, attempt?: number): Promise<void>;
  outcome(task: RunningTask, attempt?: number): Promise<TaskOutcome | undefined>;
  output(task: RunningTask): Promise<unknown>;
  log(task: RunningTask): Promise<readonly LogEntry[]>;
  envelope(task: RunningTask, name?: string): Promise<EnvelopeState>;
}

const lease = "partition:test";

export async function createRig(options: RigOptions): Promise<Rig> {
  const { clock, ids, agents, settings } = options;
  const store = createMemoryStore({ clock });
  const queue = createMemoryQueue({ clock });
  const events: BridleEvent[] = [];
  const lines: AgentLine[] = [];
  const scanners: Scanner[] = [];
  const bus = createBus({ onHandlerError: () => {} });
  bus.onAny((event) => {
    events.push(event);
    options.onEvent?.(event);
  });
  const breakers = new BreakerSet({
    clock,
    random: seededRandom(1),
    bootId: options.bootId ?? "boot1",
    emit: (event) => bus.emit(event),
    settings: options.breaker,
  });
  const runner = createRunner({
    store: options.wrapStore?.(store) ?? store,
    queue,
    agents,
    models: {
      call: options.model ?? answerAtOnce,
      plan: options.plan ?? ((name) => ({ targets: [`fake/${name}`] })),
    },
    breakers,
    scanner: (callbacks) => {
      const scanner =
        options.scanner?.(callbacks) ?? createLocalScanner({ ...callbacks, clock, slots: 64 });
      scanners.push(scanner);
      return scanner;
    },
    bus,
    clock,
    ids,
    workerId: "worker-1",
    bootId: options.bootId ?? "boot1",
    settings,
    stateFolder: options.stateFolder,
    environment: options.environment ?? { PATH: process.env["PATH"] },
    resolveSecret: async ({ name }) => `value-of-${name}`,
    onLine: (line) => lines.push(line),
    onRetire: options.onRetire,
  });
  return {
    store,
    queue,
    runner,
    breakers,
    bus: events,
    lines,
    scanners,
    ...driver(store, queue, options),
  };
}

function driver(
  store: MemoryStore,
  queue: TaskQueue,
  { clock }: RigOptions,
): Pick<Rig, "dispatch" | "redispatch" | "cancel" | "outcome" | "output" | "log" | "envelope"> {
  let runs = 0;
  const commit = async (runId: RunId, changes: object): Promise<void> => {
    const held = await store.leases.acquire(lease, "scheduler", 600_000);
    const run = await store.runs.load(runId);
    const answer = await store.runs.commit({
      ...nothingDecided,
      runId,
      lease: { name: lease, epoch: held?.epoch ?? 0 },
      expectedDecisions: run?.decisions ?? 0,
      at: clock.wallMs(),
      ...changes,
    });
    if (!answer.committed) throw new Error(`The commit was refused: ${answer.reason}`);
  };
  return {
    dispatch: async (task) => {
      const runId = asRunId(`run_${++runs}`);
      const taskId = asTaskId("work");
      await submit(store, runId, { task, at: clock.wallMs() });
      await commit(runId, {
        inputs: [{ taskId, body: JSON.stringify(envelopeOf(task)) }],
        envelopesOpened: [{ taskId, terms: termsOf(task.limit, task.onTrip) }],
      });
      if (task.openingHold !== undefined) {
        const holdId = task.openingHold;
        const amounts = { tokens: 0, nanoUsd: 90_000, calls: 1 };
        const spender = { runId, taskId, attempt: 1, step: 0, at: clock.wallMs() };
        await store.ledger.reserve({ ...spender, holdId, amounts, kind: "ladder" });
      }
      await store.attempts.raiseFences(runId, [{ taskId, attempt: 1 }]);
      await queue.enqueue([{ agent: task.agent, job: { runId, taskId, attempt: 1 } }]);
      return { runId, taskId };
    },
    redispatch: async ({ runId, taskId }, attempt, agent) => {
      await store.attempts.raiseFences(runId, [{ taskId, attempt }]);
      await queue.enqueue([{ agent, job: { runId, taskId, attempt } }]);
    },
    cancel: async ({ runId, taskId }, attempt = 1) =>
      commit(runId, {
        envelopesClosed: [taskId],
        cancels: [{ taskId, attempt, reason: "changed my mind" }],
      }),
    outcome: async ({ runId, taskId }, attempt = 1) => {
      const entries = await store.inbox.read(1000);
      for (const { runId: owner, message } of entries) {
        const isIt =
          owner === runId &&
          message.kind === "finished" &&
          message.taskId === taskId &&
          message.attempt === attempt;
        if (isIt) return message.outcome;
      }
      return undefined;
    },
    output: async ({ runId, taskId }) => {
      const text = await store.runs.output(runId, taskId);
      return text === undefined ? undefined : (JSON.parse(text) as unknown);
    },
    log: async ({ runId }) => store.runs.read(runId, { afterSeq: 0, limit: 100_000 }),
    envelope: async ({ runId }, name = "work") => {
      const found = (await store.ledger.envelopes(runId)).find(({ envelope }) => envelope === name);
      if (found === undefined) throw new Error(`There is no envelope "${name}".`);
      return found;
    },
  };
}

/** As JSON text it has the members that have a value. */
function envelopeOf({ limit: _limit, runLimit: _runLimit, ...task }: TaskToRun): object {
  return {
    workflow: "test",
    priority: "foreground",
    allowModelFallback: true,
    ...task,
    input: task.input ?? null,
    taskMs: task.taskMs ?? 600_000,
  };
}

function termsOf(
  limit: Partial<Amounts> | undefined,
  onTrip: EnvelopeTerms["onTrip"] = "nothing",
): EnvelopeTerms {
  return { limit: { ...plenty, ...limit }, creditMode: "credit", onTrip };
}

async function submit(
  store: MemoryStore,
  runId: RunId,
  { task, at }: { readonly task: TaskToRun; readonly at: number },
): Promise<void> {
  await store.runs.submit({
    runId,
    traceId: "0af7651916cd43dd8448eb211c80319c",
    workflow: "test",
    version: 1,
    compiled: "{}",
    input: "{}",
    budget: termsOf(task.runLimit, task.onTrip),
    at,
    event: {
      type: "run.submitted",
      at,
      runId,
      workflow: "test",
      version: 1,
      limit: { tokens: "1", nanoUsd: "1", calls: "1" },
      taskCount: 1,
    },
  });
}

export interface WireScript {
  readonly target?: string;
  readonly estimate?: Partial<Amounts>;
  readonly actual?: Partial<Amounts>;
  readonly text?: string;
}

/** A model layer that makes one wire call and answers. */
export async function answerAtOnce(
  call: ModelCall,
  script: WireScript = {},
): Promise<ModelCallResult> {
  const target = script.target ?? "fake/small";
  const estimate = { tokens: 100, nanoUsd: 1000, calls: 1, ...script.estimate };
  const actual = { tokens: 60, nanoUsd: 600, calls: 1, ...script.actual };
  const permit = await call.admission.admit({ target, estimate });
  const text = script.text ?? `echo: ${call.request.prompt ?? ""}`;
  call.onDelta?.(text);
  await permit.end({ outcome: "success", actual, basis: "usage", completedProgress: true });
  return {
    response: {
      text,
      finishReason: "stop",
      servedBy: target,
      inputTokens: 40,
      outputTokens: 20,
    },
    spent: actual,
    degraded: [],
  };
}

/** The types of a log, in order: what a story is compared by. */
export function typesOf(events: readonly { readonly type: string }[]): readonly string[] {
  return events.map(({ type }) => type);
}
