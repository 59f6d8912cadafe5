import { researchWorkflow } from "../../fake-agents/src/demo/workflows.ts";
import { statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";

export interface Scenario {
  readonly title: string;
  /** What must come out of `play`. */
  readonly facts: unknown;
  readonly play: (world: BridleWorld) => Promise<unknown>;
}

const one = (agent: string, more: object = {}): object => ({
  name: agent,
  tasks: [{ id: "only", agent, ...more }],
  output: "${{ tasks.only.output }}",
});

const retryAfter = (initial: string): object => ({
  retry: { maxAttempts: 3, backoff: { type: "fixed", initial } },
});

async function countOf(world: BridleWorld, runId: string, ...types: string[]): Promise<number[]> {
  const log = await world.log(runId);
  return types.map((wanted) => log.filter(({ type }) => type === wanted).length);
}

const taskIds = (events: readonly ApiEvent[], wanted: string): readonly string[] =>
  events.flatMap(({ type, taskId }) => (type === wanted ? [String(taskId)] : [])).toSorted();

/** What must hold whether or not anybody is ever woken: the same stories on each store, with hints and without. */
export const scenarios: readonly Scenario[] = [
  {
    title: "[S1] [S3] [S4] the research workflow completes, each task once",
    facts: {
      status: "COMPLETED",
      isAboutItsTopic: true,
      completed: [
        "plan",
        "report",
        "review",
        "search",
        "search[0]",
        "search[1]",
        "search[2]",
        "search[3]",
        "translate",
      ],
    },
    play: async (world) => {
      const runId = await world.submit(researchWorkflow, { topic: "tidal power" });
      const { status, output } = await world.ended(runId);
      const isAboutItsTopic = JSON.stringify(output).includes("tidal power");
      const completed = taskIds(await world.log(runId), "task.completed");
      return { status, isAboutItsTopic, completed };
    },
  },
  {
    title: "[S5] an agent that fails twice succeeds at its third attempt",
    facts: { output: { attempt: 3 }, retries: [2] },
    play: async (world) => {
      const runId = await world.submit(one("flaky", retryAfter("50ms")));
      const { output } = await world.ended(runId);
      return { output, retries: await countOf(world, runId, "task.retrying") };
    },
  },
  {
    title: "[S7] a cancel reaches an agent at work, and what waited for it never starts",
    facts: {
      status: "CANCELLED",
      tasks: { done: "COMPLETED", busy: "CANCELLED", after: "CANCELLED" },
      started: ["busy", "done"],
    },
    play: async (world) => {
      const runId = await world.submit({
        name: "cancelled",
        tasks: [
          { id: "done", agent: "echo", input: 1 },
          { id: "busy", agent: "endless", dependsOn: ["done"] },
          { id: "after", agent: "echo", dependsOn: ["busy"], input: 1 },
        ],
      });
      await world.sees(runId, ({ type, taskId }) => type === "task.started" && taskId === "busy");
      await world.client.cancel(runId);
      const view = await world.ended(runId);
      const started = taskIds(await world.log(runId), "task.started");
      return { status: view.status, tasks: statuses(view), started };
    },
  },
  {
    title: "[S4] [LF-5] a fan-out runs each item once and its join sees them in order",
    facts: { output: [10, 20, 30, 40, 50, 60, 70], started: [8] },
    play: async (world) => {
      const fan = {
        id: "each",
        agent: "echo",
        forEach: { items: "${{ input.numbers }}" },
        input: "${{ item * 10 }}",
        concurrency: { limit: 3 },
      };
      const join = {
        id: "join",
        agent: "echo",
        dependsOn: ["each"],
        input: "${{ tasks.each.output }}",
      };
      const spec = { name: "fan", tasks: [fan, join], output: "${{ tasks.join.output }}" };
      const runId = await world.submit(spec, { numbers: [1, 2, 3, 4, 5, 6, 7] });
      const { output } = await world.ended(runId);
      return { output, started: await countOf(world, runId, "task.started") };
    },
  },
  {
    title:
      "[S8] a task whose worker died after its claim is announced lost, and completes elsewhere",
    facts: { output: { attempt: 2 }, lostAndRetried: [1, 1] },
    play: async (world) => {
      const runId = await world.submit(one("unlucky", { retry: { maxAttempts: 1 } }));
      const { output } = await world.ended(runId);
      const lostAndRetried = await countOf(world, runId, "task.lost", "task.retrying");
      return { output, lostAndRetried };
    },
  },
  {
    title: "[S8] a job that never reached the queue is asked for again, as the same attempt",
    facts: { output: { attempt: 1 }, lost: [0] },
    play: async (world) => {
      const runId = await world.submit(one("forgotten"));
      const { output } = await world.ended(runId);
      return { output, lost: await countOf(world, runId, "task.lost") };
    },
  },
  {
    title: "[W3] a run that outlives its timeout is stopped",
    facts: { status: "TIMED_OUT", reason: "run_timeout" },
    play: async (world) => {
      const runId = await world.submit({ ...one("endless"), timeout: { run: "700ms" } });
      const { status, stop } = await world.ended(runId);
      return { status, reason: stop?.reason };
    },
  },
  {
    title: "a paused run starts nothing more, and goes on when it is resumed",
    facts: { status: "COMPLETED", startedWhilePaused: [] },
    play: async (world) => {
      const runId = await world.submit(one("flaky", retryAfter("300ms")));
      await world.sees(runId, ({ type }) => type === "task.retrying");
      await world.client.pause(runId);
      const paused = await world.sees(runId, ({ type }) => type === "run.paused");
      await world.client.resume(runId);
      const { status } = await world.ended(runId);
      const log = await world.log(runId);
      const resumed = log.find(({ type }) => type === "run.resumed")?.seq ?? 0;
      const between = log.filter(({ seq }) => seq > paused.seq && seq < resumed);
      return { status, startedWhilePaused: taskIds(between, "task.scheduled") };
    },
  },
];
