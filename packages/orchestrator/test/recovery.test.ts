import { nothingDecided } from "@bridle/ports";
import type { Store, TaskQueue } from "@bridle/ports";
import { asTaskId, bridleError } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

import { createWorld, echo, plainExpressions } from "./support/world.ts";
import type { AgentBehaviour, World } from "./support/world.ts";

const diamond = {
  name: "diamond",
  tasks: [
    { id: "top", agent: "echo", input: 1 },
    { id: "left", agent: "echo", dependsOn: ["top"], input: "${{ tasks.top.output }}" },
    { id: "right", agent: "echo", dependsOn: ["top"], input: "${{ tasks.top.output }}" },
    { id: "bottom", agent: "echo", dependsOn: ["left", "right"] },
  ],
};
const everyTaskOnce = ["bottom#1", "left#1", "right#1", "top#1"];

async function submitDiamond(world: World): Promise<RunId> {
  return (await world.submit({ spec: diamond, input: {} })).runId;
}

/** Each task has one completion in the log, and the run one end, as its last decision. */
async function expectWholeRun(world: World, runId: RunId): Promise<void> {
  const types = await world.types(runId);
  expect(await world.status(runId)).toBe("COMPLETED");
  expect(types.filter((type) => type === "task.completed")).toHaveLength(4);
  expect(types.filter((type) => type === "run.finished")).toHaveLength(1);
  expect(types.findLast((type) => type.startsWith("run.") || type.startsWith("task."))).toBe(
    "run.finished",
  );
}

/** Ports of the memory store are proxies over plain objects: members are copied one by one. */
function pick(runs: Store["runs"]): Store["runs"] {
  const names = Object.keys(runs) as (keyof Store["runs"])[];
  return Object.fromEntries(names.map((name) => [name, runs[name]])) as unknown as Store["runs"];
}

/** Fails the given call of a port's method: before it reaches the store, or after, when only the answer is lost. */
function failing<Port extends object>(
  port: Port,
  method: keyof Port,
  when: "before" | "after",
  onCall: number,
): Port {
  let calls = 0;
  return new Proxy(port, {
    get: (target, key, receiver) => {
      const value: unknown = Reflect.get(target, key, receiver);
      if (key !== method || typeof value !== "function") return value;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const fails = ++calls === onCall;
        if (fails && when === "before") throw bridleError("store_unavailable");
        const answer: unknown = await Reflect.apply(value, target, parameters);
        if (fails) throw bridleError("store_unavailable");
        return answer;
      };
    },
  });
}

describe("[S8] whatever call of the task protocol is cut, the run completes and no task runs twice", () => {
  const cuts = [1, 2, 3].flatMap((onCall) =>
    (["before", "after"] as const).flatMap((when) =>
      (["commit", "raiseFences", "enqueue"] as const).map((point) => ({ point, when, onCall })),
    ),
  );

  test.each(cuts)(
    "[B146] $point fails $when it is done, at call $onCall",
    async ({ point, when, onCall }) => {
      const world = await createWorld({
        agents: { echo },
        wrapStore: (store: Store): Store => ({
          ...store,
          runs: point === "commit" ? failing(store.runs, "commit", when, onCall) : store.runs,
          attempts:
            point === "raiseFences"
              ? failing(store.attempts, "raiseFences", when, onCall)
              : store.attempts,
        }),
        wrapQueue: (queue: TaskQueue): TaskQueue =>
          point === "enqueue" ? failing(queue, "enqueue", when, onCall) : queue,
      });
      await world.startScheduler("boot_1");
      const runId = await submitDiamond(world);
      await world.clock.advanceAsync(60_000);
      await expectWholeRun(world, runId);
      expect(world.ran.toSorted()).toEqual(everyTaskOnce);
      // The control: the cut really happened.
      expect(world.errors.length).toBeGreaterThan(0);
    },
  );
});

describe("a commit that is made after it was given up", () => {
  test("[S8] is found, though nothing else would ever come: its timer is gone with it", async () => {
    let commits = 0;
    const world = await createWorld({
      agents: {
        failsFirst: async ({ attempt, input }) =>
          attempt === 1 ? { cause: "agent_error" } : { output: input },
      },
      wrapStore: (store) => ({
        ...store,
        runs: {
          ...pick(store.runs),
          commit: async (commit) => {
            if (++commits !== 3) return store.runs.commit(commit);
            // Longer than the run takes to be loaded again, shorter than the next look for timers.
            world.clock.setTimer(500, () => void store.runs.commit(commit));
            throw bridleError("store_unavailable");
          },
        },
      }),
    });
    await world.startScheduler("boot_1");
    const retry = { maxAttempts: 2, backoff: { type: "fixed", initial: "1s" } } as const;
    const { runId } = await world.submit({
      spec: { name: "late", tasks: [{ id: "only", agent: "failsFirst", retry }] },
      input: {},
    });
    await world.clock.advanceAsync(30_000);
    expect(await world.status(runId)).toBe("COMPLETED");
    expect(world.ran).toEqual(["only#1", "only#2"]);
    // The control: the third one was the retry, given up and made.
    expect(world.errors.map(String).join()).toContain("was made all the same");
  });
});

describe("wake-ups are only hints", () => {
  test("a run completes by polling when none is delivered", async () => {
    const world = await createWorld({ agents: { echo }, feed: "off" });
    await world.startScheduler("boot_1");
    const runId = await submitDiamond(world);
    await world.clock.advanceAsync(30_000);
    await expectWholeRun(world, runId);
  });

  test("[B146] a queue that loses the first job of each task is asked again within the reconcile time", async () => {
    const seen = new Set<string>();
    const world = await createWorld({
      agents: { echo },
      queue: { drop: ({ job }) => !seen.has(job.taskId) && seen.add(job.taskId) !== undefined },
    });
    await world.startScheduler("boot_1");
    const runId = await submitDiamond(world);
    await world.clock.advanceAsync(10_000);
    expect(world.ran).toEqual([]);
    await world.clock.advanceAsync(80_000);
    await expectWholeRun(world, runId);
    expect(world.ran.toSorted()).toEqual(everyTaskOnce);
  });

  test("a backlog that is only slow is not flooded: what waits is asked for again, a page at a time", async () => {
    const enqueued: number[] = [];
    const world = await createWorld({
      agents: { echo },
      wrapQueue: () => ({
        enqueue: async (jobs) => void enqueued.push(jobs.length),
        work: async () => ({ close: async () => {} }),
        remove: async () => {},
        close: async () => {},
      }),
    });
    await world.startScheduler("boot_1");
    const tasks = Array.from({ length: 500 }, (_, index) => ({ id: `t${index}`, agent: "echo" }));
    await world.submit({ spec: { name: "backlog", tasks }, input: {} });
    await world.clock.advanceAsync(25_000);
    expect(enqueued).toEqual([500, 200]);
  });

  test("a backlog of results and of timers is read on as it is answered, not a page with each poll", async () => {
    const failsFirst: AgentBehaviour = async ({ attempt, input }) =>
      attempt === 1 ? { cause: "agent_error" } : { output: input };
    const world = await createWorld({
      agents: { failsFirst },
      feed: "off",
      settings: { inboxPage: 2 },
    });
    await world.startScheduler("boot_1");
    const retry = { maxAttempts: 2, backoff: { type: "fixed", initial: "1s" } } as const;
    const tasks = Array.from({ length: 20 }, (_, index) => ({
      id: `t${index}`,
      agent: "failsFirst",
      retry,
    }));
    const { runId } = await world.submit({ spec: { name: "backlog", tasks }, input: {} });
    // Found by one poll, failed, put off, tried again, and told by another.
    await world.clock.advanceAsync(10_000);
    expect(await world.status(runId)).toBe("COMPLETED");
  });

  test("a backlog for a run that has ended is discarded at once, not a page with each poll", async () => {
    const world = await createWorld({ agents: { echo }, feed: "off", settings: { inboxPage: 2 } });
    await world.startScheduler("boot_1");
    const ended = await submitDiamond(world);
    await world.clock.advanceAsync(20_000);
    await expectWholeRun(world, ended);
    for (let times = 0; times < 20; times += 1) {
      // oxlint-disable-next-line no-await-in-loop -- somebody asks again and again, in order
      await world.store.inbox.put(ended, { kind: "resume", by: "ada" }, world.clock.wallMs());
    }
    expect(await world.store.inbox.read(100)).toHaveLength(20);
    await world.clock.advanceAsync(4000);
    expect(await world.store.inbox.read(100)).toEqual([]);
  });

  test("a page of tasks that nobody serves does not hide a job that was lost", async () => {
    let lost = 0;
    const world = await createWorld({
      agents: { echo, nobody: async () => undefined },
      settings: { scanPage: 2 },
      queue: { drop: ({ agent }) => agent === "nobody" || lost++ === 0 },
    });
    await world.startScheduler("boot_1");
    const unserved = Array.from({ length: 5 }, (_, index) => ({
      id: `u${index}`,
      agent: "nobody",
    }));
    await world.submit({ spec: { name: "unserved", tasks: unserved }, input: {} });
    await world.clock.advanceAsync(100);
    const spec = { name: "served", tasks: [{ id: "only", agent: "echo" }] };
    const { runId } = await world.submit({ spec, input: {} });
    await world.clock.advanceAsync(60_000);
    expect(await world.status(runId)).toBe("COMPLETED");
    // The control: its first job was the one that was lost.
    expect(lost).toBe(2);
  });

  test("a queue that delivers every job twice runs each task once", async () => {
    const world = await createWorld({ agents: { echo }, queue: { duplicate: () => true } });
    await world.startScheduler("boot_1");
    const runId = await submitDiamond(world);
    await world.clock.advanceAsync(10_000);
    await expectWholeRun(world, runId);
    expect(world.ran.toSorted()).toEqual(everyTaskOnce);
  });
});

describe("schedulers", () => {
  test("[B154] of two on one store one works, and the other takes over when its lease lapses", async () => {
    const world = await createWorld({ agents: { echo } });
    const first = await world.startScheduler("boot_1");
    const second = await world.startScheduler("boot_2");
    expect([first.isLeading, second.isLeading]).toEqual([true, false]);
    await first.stop();
    const runId = await submitDiamond(world);
    await world.clock.advanceAsync(20_000);
    expect(second.isLeading).toBe(true);
    await expectWholeRun(world, runId);
  });

  test("[B154] one that was overtaken without noticing cannot append to a run", async () => {
    const world = await createWorld({ agents: { echo } });
    const runId = await submitDiamond(world);
    const stale = await world.store.leases.acquire("scheduler:0", "boot_1", 1000);
    world.clock.advance(1001);
    await world.store.leases.acquire("scheduler:0", "boot_2", 1000);
    const commit = {
      ...nothingDecided,
      runId,
      expectedDecisions: 1,
      at: 0,
    };
    expect(
      await world.store.runs.commit({
        ...commit,
        lease: { name: "scheduler:0", epoch: stale?.epoch ?? 0 },
      }),
    ).toEqual({ committed: false, reason: "lease" });
  });

  test("[S8] a successor continues a run in its middle from the log alone", async () => {
    let released = false;
    const gated: AgentBehaviour = async () => (released ? { output: 1 } : undefined);
    const world = await createWorld({ agents: { echo, gated } });
    const first = await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: {
        name: "middle",
        tasks: [
          { id: "a", agent: "echo", input: 1 },
          { id: "b", agent: "gated", dependsOn: ["a"] },
          { id: "c", agent: "echo", dependsOn: ["b"] },
        ],
      },
      input: {},
    });
    await world.clock.advanceAsync(100);
    await first.stop();
    released = true;
    await world.store.attempts.finish({
      runId,
      taskId: asTaskId("b"),
      attempt: 1,
      bootId: "boot_worker",
      outcome: { status: "completed", outputBytes: 1, degraded: [] },
      output: "2",
      graceUsedMs: 0,
      at: world.clock.wallMs(),
    });
    await world.startScheduler("boot_2");
    await world.clock.advanceAsync(30_000);
    expect(await world.status(runId)).toBe("COMPLETED");
    expect(world.ran).toEqual(["a#1", "b#1", "c#1"]);
  });

  test("[B103] a store that is away for a while delays runs and breaks none", async () => {
    const world = await createWorld({ agents: { echo } });
    await world.startScheduler("boot_1");
    const runId = await submitDiamond(world);
    world.store.disconnect();
    await world.clock.advanceAsync(5000);
    world.store.reconnect();
    await world.clock.advanceAsync(60_000);
    await expectWholeRun(world, runId);
  });
});

describe("workers that die", () => {
  test("a task whose worker's lease lapsed is announced lost and tried again without spending an attempt", async () => {
    const world = await createWorld({
      agents: { echo },
      queue: { drop: ({ job }) => job.attempt === 1 },
    });
    await world.startScheduler("boot_1");
    await world.store.leases.acquire("worker:boot_dead", "boot_dead", 8000);
    const { runId } = await world.submit({
      spec: { name: "lost", tasks: [{ id: "t", agent: "echo", retry: { maxAttempts: 1 } }] },
      input: {},
    });
    await world.clock.advanceAsync(10);
    await world.store.attempts.claim({
      runId,
      taskId: asTaskId("t"),
      attempt: 1,
      workerId: "dead",
      bootId: "boot_dead",
      at: world.clock.wallMs(),
    });
    await world.clock.advanceAsync(30_000);
    expect(await world.types(runId)).toEqual(
      expect.arrayContaining(["task.lost", "task.retrying"]),
    );
    expect(await world.status(runId)).toBe("COMPLETED");
    expect(world.ran).toEqual(["t#2"]);
  });
});

describe("one run's trouble stays its own", () => {
  test("[B155] a run that cannot be folded ends FAILED with the reason, and its neighbour completes", async () => {
    const poisoned = new Error("the evaluator's thread cannot be started");
    const world = await createWorld({
      agents: { echo },
      expressions: {
        ...plainExpressions,
        evaluate: async (template, bindings) => {
          if (JSON.stringify(template).includes("poison")) throw poisoned;
          return plainExpressions.evaluate(template, bindings);
        },
      },
    });
    await world.startScheduler("boot_1");
    const bad = await world.submit({
      spec: { name: "bad", tasks: [{ id: "t", agent: "echo", input: "${{ 'poison' }}" }] },
      input: {},
    });
    const good = await submitDiamond(world);
    await world.clock.advanceAsync(60_000);
    await expectWholeRun(world, good);
    expect(await world.status(bad.runId)).toBe("FAILED");
    expect((await world.log(bad.runId)).at(-1)).toMatchObject({
      type: "run.finished",
      stop: { evidence: { error: poisoned.message } },
    });
  });

  test("results for runs that ended or never were leave the inbox", async () => {
    const world = await createWorld({ agents: { echo } });
    await world.startScheduler("boot_1");
    const runId = await submitDiamond(world);
    await world.clock.advanceAsync(1000);
    await world.store.inbox.put(
      runId,
      { kind: "cancel", reason: "too late", by: "user" },
      world.clock.wallMs(),
    );
    await world.clock.advanceAsync(10_000);
    expect(await world.store.inbox.read(10)).toEqual([]);
    await expectWholeRun(world, runId);
  });
});
