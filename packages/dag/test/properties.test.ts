import { decide, evolve } from "@bridle/dag";
import type { RunInput } from "@bridle/dag";
import { isTerminalTask } from "@bridle/protocol";
import type { RunEvent, TaskStatus } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anything, play, policies, refolded, scripts } from "./support/play.ts";
import { plans, worldOf } from "./support/random-workflow.ts";
import { success } from "./support/world.ts";

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
        const run = refolded(world, cut);
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
    );
  });
});
