import { createBus } from "@bridle/bus";
import { systemClock as clock, systemIds as ids } from "@bridle/kernel/system";
import { createSubmit, Scheduler } from "@bridle/orchestrator";
import type { Expressions, Store, TaskQueue } from "@bridle/ports";
import type { RunId } from "@bridle/protocol";

interface Parts {
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly expressions: Expressions;
}

/** Submits a run of one task, and schedules until `isDone`. */
export async function scheduleExample(
  { store, queue, expressions }: Parts,
  isDone: (runId: RunId) => Promise<void>,
): Promise<RunId> {
  const newTraceId = (): string => ids.next("trace");
  const submit = createSubmit({ store, clock, ids, newTraceId, agents: ["planner"], models: [] });
  const scheduler = new Scheduler({
    store,
    queue,
    expressions,
    bus: createBus({ onHandlerError: ({ error }) => console.error(error) }),
    clock,
    bootId: ids.next("boot"),
    onError: (error, runId) => console.error(runId, error),
  });

  await scheduler.start();
  const spec = { name: "plan-it", tasks: [{ id: "plan", agent: "planner" }] };
  const { runId } = await submit({ spec, input: { topic: "tides" } });
  await isDone(runId);
  await scheduler.stop();
  return runId;
}
