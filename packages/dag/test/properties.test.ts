import { decide, evolve, initialRun, pendingCommands } from "@bridle/dag";
import type { RunInput } from "@bridle/dag";
import { isTerminalTask } from "@bridle/protocol";
import type { RunEvent, TaskStatus } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fails, plans, worldOf } from "./support/random-workflow.ts";
import type { Planned } from "./support/random-workflow.ts";
import { fatesOf, runFateOf } from "./support/reference-evaluator.ts";
import { failure, success } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** Attempts in hand: their finish has not been told yet. */
function inHand(world: World): readonly string[] {
  return Object.entries(world.run.tasks).flatMap(([id, task]) =>
    task.attempt > 0 &&
    task.items === undefined &&
    task.wakeAt === undefined &&
    !isTerminalTask(task.status)
      ? [id]
      : [],
  );
}

/** Everything that could happen next, in a stable order. */
function moves(world: World, plan: readonly Planned[]): readonly (() => void)[] {
  const finishes = inHand(world).map((id) => (): void => {
    const outcome = fails(plan, id) ? failure() : success();
    world.finish(id, outcome);
    // Everything may be told twice.
    world.finish(id, outcome, world.attempt(id));
  });
  const timers = [...world.timers.keys()]
    .filter((key) => key.startsWith("retry:") || key.startsWith("cancelling:"))
    .map((key) => (): void => {
      world.fire(key);
    });
  return [...finishes, ...timers];
}

interface Disturbance {
  readonly pick: number;
  readonly disturb:
    | "none"
    | "pause"
    | "snapshot"
    | "claim"
    | "lose"
    | "cancel"
    | "takeover"
    | "stale";
}

const noise = fc.constantFrom<Disturbance["disturb"]>(
  "none",
  "none",
  "pause",
  "snapshot",
  "claim",
  "takeover",
  "stale",
);

const disturbances: Readonly<
  Record<Disturbance["disturb"], (world: World, id: string, pick: number) => void>
> = {
  none: () => {},
  pause: (world) => {
    world.tell({ type: "pause", reason: "r", by: "u" });
    world.tell({ type: "resume", by: "u" });
  },
  snapshot: (world) => {
    world.run = JSON.parse(JSON.stringify(world.run)) as World["run"];
  },
  claim: (world, id) => {
    world.claim(id);
  },
  lose: (world, id) => {
    world.lose(id);
  },
  cancel: (world, _, pick) => {
    world.tell({ type: "cancel", taskId: `t${pick % 8}` as never, reason: "r", by: "u" });
  },
  takeover: (world) => {
    for (const command of pendingCommands(world.run)) world.perform(command);
  },
  stale: (world, id) => {
    world.finish(id, success(), 99);
    world.evaluate(id);
    world.tell({ type: "timer", key: `retry:${id}` });
  },
};

function disturb(world: World, kind: Disturbance["disturb"], pick: number): void {
  disturbances[kind](world, inHand(world)[0] ?? "t0", pick);
}

/** Plays a run to its end, in an order that chance decides. */
function play(world: World, plan: readonly Planned[], script: readonly Disturbance[]): World {
  world.start();
  for (let turn = 0; world.outcome === undefined; turn += 1) {
    if (turn > 2000) throw new Error(`It does not end: ${JSON.stringify(world.statuses())}`);
    const { pick, disturb: kind } = script[turn % script.length] ?? { pick: 0, disturb: "none" };
    disturb(world, kind, pick);
    const possible = moves(world, plan);
    possible[pick % Math.max(1, possible.length)]?.();
  }
  return world;
}

function scripts(
  kinds: fc.Arbitrary<Disturbance["disturb"]>,
): fc.Arbitrary<readonly Disturbance[]> {
  return fc.array(fc.record({ pick: fc.nat({ max: 1000 }), disturb: kinds }), {
    minLength: 1,
    maxLength: 40,
  });
}

const anything = fc.constantFrom<Disturbance["disturb"]>(
  "none",
  "pause",
  "snapshot",
  "claim",
  "lose",
  "cancel",
  "takeover",
  "stale",
);
const policies = fc.constantFrom("fail_fast", "continue");

/** Where in the log each task started and ended. */
function span(
  events: readonly RunEvent[],
  id: string,
): { readonly start: number; readonly end: number } {
  const start = events.findIndex(
    (event) =>
      "taskId" in event &&
      event.taskId === id &&
      (event.type === "task.scheduled" || event.type === "task.expanded"),
  );
  const end = events.findIndex(
    (event) =>
      "taskId" in event &&
      event.taskId === id &&
      ["task.completed", "task.failed", "task.cancelled", "task.skipped"].includes(event.type),
  );
  return { start, end };
}

describe("laws of every run", () => {
  it("[S4] under continue every task comes out as a reading of its edges one by one says, in any order of events", () => {
    fc.assert(
      fc.property(plans, scripts(noise), (plan, script) => {
        const world = play(worldOf(plan, "continue"), plan, script);
        const expected = [...fatesOf(plan)].map(([id, fate]) => [id, fate.final]);
        expect(plan.map(({ id }) => [id, world.status(id)])).toEqual(expected);
        expect(world.outcome).toBe(runFateOf(plan));
      }),
      { numRuns: 400 },
    );
  });

  it("[S3] a task starts only after all it needs has ended, and never more than once per attempt", () => {
    fc.assert(
      fc.property(plans, policies, scripts(anything), (plan, policy, script) => {
        const world = play(worldOf(plan, policy), plan, script);
        for (const { id, needs } of plan) {
          const { start } = span(world.events, id);
          if (start === -1) continue;
          for (const { task } of needs) {
            const { end } = span(world.events, task);
            expect(end).toBeGreaterThanOrEqual(0);
            expect(end).toBeLessThan(start);
          }
        }
        const scheduled = world.events.flatMap((event) =>
          event.type === "task.scheduled" ? [`${event.taskId}#${event.attempt}`] : [],
        );
        expect(new Set(scheduled).size).toBe(scheduled.length);
      }),
      { numRuns: 300 },
    );
  });

  it("[S4] every task ends exactly once, the run ends exactly once, and nothing follows", () => {
    fc.assert(
      fc.property(plans, policies, scripts(anything), (plan, policy, script) => {
        const world = play(worldOf(plan, policy), plan, script);
        const ends = new Map<string, number>();
        for (const event of world.events) {
          if (
            ["task.completed", "task.failed", "task.cancelled", "task.skipped"].includes(
              event.type,
            ) &&
            "taskId" in event
          ) {
            ends.set(event.taskId, (ends.get(event.taskId) ?? 0) + 1);
          }
        }
        for (const [id, status] of Object.entries(world.statuses())) {
          expect([id, isTerminalTask(status as TaskStatus), ends.get(id)]).toEqual([id, true, 1]);
        }
        expect(world.count("run.finished")).toBe(1);
        expect(world.events.at(-1)?.type).toBe("run.finished");
        expect(world.run.finished?.stop === undefined).toBe(world.outcome === "COMPLETED");
      }),
      { numRuns: 300 },
    );
  });

  it("[S8] a snapshot, and a fold of the log from its start, are the same run; its counters are those of its tasks", () => {
    fc.assert(
      fc.property(plans, policies, scripts(anything), fc.nat(), (plan, policy, script, cut) => {
        const world = play(worldOf(plan, policy), plan, script);
        const at = cut % world.events.length;
        let run = initialRun(world.run.workflow);
        for (const [index, event] of world.events.entries()) {
          if (index === at) run = JSON.parse(JSON.stringify(run)) as typeof run;
          run = evolve(run, event);
        }
        expect(run).toEqual(JSON.parse(JSON.stringify(world.run)));
        expect({
          open: run.open,
          live: run.live,
          sleeping: run.sleeping,
          parked: run.parked,
        }).toEqual({
          open: 0,
          live: 0,
          sleeping: 0,
          parked: 0,
        });
      }),
      { numRuns: 200 },
    );
  });

  it("[B115] no input that was answered before, and no event folded late, changes anything", () => {
    fc.assert(
      fc.property(plans, scripts(anything), (plan, script) => {
        const world = play(worldOf(plan, "continue"), plan, script);
        const before = JSON.stringify(world.run);
        const late: readonly RunInput[] = [
          { type: "start" },
          { type: "cancel", reason: "r", by: "u" },
          { type: "resume", by: "u" },
          { type: "pause", reason: "r", by: "u" },
          { type: "timer", key: "run-timeout" },
          ...plan.map(({ id }): RunInput => ({
            type: "task-finished",
            taskId: id as never,
            attempt: 1,
            outcome: success(),
          })),
        ];
        for (const input of late)
          expect(decide(world.run, input, world.at)).toEqual({ events: [], commands: [] });
        for (const event of world.events) evolve(world.run, event);
        expect(JSON.stringify(world.run)).toBe(before);
      }),
      { numRuns: 100 },
    );
  });

  it("decide leaves the run it is asked about as it was", () => {
    fc.assert(
      fc.property(plans, policies, scripts(anything), (plan, policy, script) => {
        const world = worldOf(plan, policy);
        const tell = world.tell.bind(world);
        world.tell = (input) => {
          const before = JSON.stringify(world.run);
          decide(world.run, input, world.at);
          expect(JSON.stringify(world.run)).toBe(before);
          return tell(input);
        };
        play(world, plan, script);
      }),
      { numRuns: 50 },
    );
  });
});
