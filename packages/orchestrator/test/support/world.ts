import { createBus } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import { evaluateTemplate } from "@bridle/dag";
import { SimulatedClock, sequenceIds } from "@bridle/kernel/testing";
import { Scheduler, createSubmit } from "@bridle/orchestrator";
import type { SchedulerSettings, Submit } from "@bridle/orchestrator";
import type { Expressions, Store, TaskQueue } from "@bridle/ports";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import type { MemoryQueueOptions, MemoryStore } from "@bridle/ports/testing";
import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type {
  EndCause,
  LogEntry,
  RunId,
  TaskEnvelope,
  TaskId,
  TaskOutcome,
} from "@bridle/protocol";

/** What a test's agent does with one attempt: its output, or the cause it ends with. Never answering is `undefined`. */
export type AgentBehaviour = (task: {
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly input: unknown;
}) => Promise<{ readonly output: unknown } | Failing | undefined>;

interface Failing {
  readonly cause: EndCause;
  readonly retryAfterMs?: number;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

export interface WorldOptions {
  readonly agents: Readonly<Record<string, AgentBehaviour>>;
  readonly feed?: "on" | "off";
  readonly queue?: Pick<MemoryQueueOptions, "drop" | "duplicate">;
  readonly wrapStore?: (store: Store) => Store;
  readonly wrapQueue?: (queue: TaskQueue) => TaskQueue;
  readonly expressions?: Expressions;
  readonly settings?: Partial<SchedulerSettings>;
}

export interface World {
  readonly clock: SimulatedClock;
  readonly store: MemoryStore;
  readonly submit: Submit;
  readonly bus: Bus;
  readonly errors: unknown[];
  /** Attempts that an agent really ran, in order: `plan#1`. */
  readonly ran: string[];
  /** What the claims returned, by `run/task`. */
  readonly envelopes: ReadonlyMap<string, TaskEnvelope>;
  startScheduler(name: string): Promise<Scheduler>;
  log(runId: RunId): Promise<readonly LogEntry[]>;
  types(runId: RunId): Promise<readonly string[]>;
  status(runId: RunId): Promise<string | undefined>;
}

export const plainExpressions: Expressions = {
  evaluate: async (template, bindings) => evaluateTemplate(template, bindings),
  close: async () => {},
};

const bootId = "boot_worker";
const nothing = toWireAmounts(noAmounts);

function failedOutcome({ cause, retryAfterMs, evidence = {} }: Failing): TaskOutcome {
  return {
    status: "failed",
    cause,
    code: cause === "agent_error" ? "agent_failed" : cause,
    message: `ended by ${cause}`,
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    stop: {
      reason: cause,
      guard: "none",
      rule: cause,
      evidence,
      spent: nothing,
      reserved: nothing,
      limit: nothing,
      resumable: false,
      hint: "none",
    },
  };
}

/** A scheduler's surroundings in memory and in simulated time: store, queue, and a worker that runs the given agents. */
export async function createWorld(options: WorldOptions): Promise<World> {
  const clock = new SimulatedClock();
  const store = createMemoryStore({ clock, feed: options.feed ?? "on" });
  const memoryQueue = createMemoryQueue({ clock, ...options.queue });
  const queue = options.wrapQueue?.(memoryQueue) ?? memoryQueue;
  const ran: string[] = [];
  const envelopes = new Map<string, TaskEnvelope>();
  const errors: unknown[] = [];
  const bus = createBus({ onHandlerError: (failure) => errors.push(failure) });
  await store.leases.acquire(`worker:${bootId}`, bootId, 1e9);
  for (const [agent, behave] of Object.entries(options.agents)) {
    // oxlint-disable-next-line no-await-in-loop -- a handful, once
    await memoryQueue.work(agent, {
      concurrency: 10,
      handler: async (job) => {
        const claim = await store.attempts.claim({
          ...job,
          workerId: "worker",
          bootId,
          at: clock.wallMs(),
        });
        if (!claim.claimed) return;
        ran.push(`${job.taskId}#${job.attempt}`);
        const envelope = JSON.parse(claim.envelope) as TaskEnvelope;
        const { input } = envelope;
        envelopes.set(`${job.runId}/${job.taskId}`, envelope);
        const answer = await behave({ taskId: job.taskId, attempt: job.attempt, input });
        if (answer === undefined) return;
        const output = "output" in answer ? JSON.stringify(answer.output) : undefined;
        await store.attempts.finish({
          ...job,
          bootId,
          outcome:
            "cause" in answer
              ? failedOutcome(answer)
              : { status: "completed", outputBytes: output?.length ?? 0, degraded: [] },
          output,
          graceUsedMs: 0,
          at: clock.wallMs(),
        });
      },
    });
  }
  const log = async (runId: RunId): Promise<readonly LogEntry[]> =>
    store.runs.read(runId, { afterSeq: 0, limit: 100_000 });
  return {
    clock,
    store,
    bus,
    errors,
    ran,
    envelopes,
    log,
    submit: createSubmit({
      store,
      clock,
      ids: sequenceIds(),
      newTraceId: () => "0".repeat(31) + "1",
      agents: Object.keys(options.agents),
      models: [],
    }),
    startScheduler: async (name) => {
      const scheduler = new Scheduler({
        store: options.wrapStore?.(store) ?? store,
        queue,
        expressions: options.expressions ?? plainExpressions,
        bus,
        clock,
        bootId: name,
        settings: options.settings ?? {},
        onError: (error) => errors.push(error),
      });
      await scheduler.start();
      return scheduler;
    },
    types: async (runId) => (await log(runId)).map(({ type }) => type),
    status: async (runId) => (await store.runs.load(runId))?.status,
  };
}

/** An agent that returns what it was given. */
export const echo: AgentBehaviour = async ({ input }) => ({ output: input });
