import type { RunEvent } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anything, noise, play, policies, scripts } from "../../packages/dag/test/support/play.ts";
import type { Disturbance } from "../../packages/dag/test/support/play.ts";
import { plans, worldOf } from "../../packages/dag/test/support/random-workflow.ts";
import type { World } from "../../packages/dag/test/support/world.ts";
import { edgeTable, endsOf, joinOf, runEndOf } from "./dag-evaluator.ts";
import type { EdgeTable, End, Task } from "./dag-evaluator.ts";

type Script = readonly Disturbance[];

/** The same tasks as the workflow under test, in the evaluator's words. */
function finalOf(end: End | undefined): string {
  if (end === "CAUGHT") return "FAILED";
  return end?.startsWith("SKIPPED") === true ? "SKIPPED" : String(end);
}

function expectSameEnds(
  plan: readonly Task[],
  script: Script,
  table: EdgeTable = edgeTable,
): World {
  const world = play(worldOf(plan, "continue"), plan, script);
  const ends = endsOf(plan, table);
  expect(plan.map(({ id }) => [id, world.status(id)])).toEqual(
    plan.map(({ id }) => [id, finalOf(ends.get(id))]),
  );
  expect(world.outcome).toBe(runEndOf(plan, ends));
  return world;
}

/** How a task has ended according to the log, told as the evaluator tells it. */
function endIn(events: readonly RunEvent[], plan: readonly Task[], id: string): End | undefined {
  const isCaught = plan.some(({ needs }) =>
    needs.some((n) => n.task === id && n.when === "failed"),
  );
  for (const event of events) {
    if (!("taskId" in event) || event.taskId !== id) continue;
    if (event.type === "task.completed") return "COMPLETED";
    if (event.type === "task.failed") return isCaught ? "CAUGHT" : "FAILED";
    if (event.type === "task.cancelled") return "CANCELLED";
    if (event.type === "task.skipped")
      return event.reason === "condition" ? "SKIPPED_CONDITION" : "SKIPPED_DEPENDENCY";
  }
  return undefined;
}

function hasStarted(events: readonly RunEvent[], id: string): boolean {
  return events.some(
    (event) =>
      (event.type === "task.scheduled" || event.type === "task.expanded") && event.taskId === id,
  );
}

describe("the DAG against its per-edge evaluator", () => {
  it("[S4] under continue every task and the run end as a reading of each edge by itself says, in any order of events", () => {
    fc.assert(
      fc.property(plans, scripts(noise), (plan, script) => void expectSameEnds(plan, script)),
      { numRuns: 400 },
    );
  });

  it("[S6] and whatever its tasks spawn: such scripts have families that fail and are cancelled", () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(plans, scripts(noise), (plan, script) => {
        const { run } = play(worldOf(plan, "continue"), plan, script);
        for (const [id, { status }] of Object.entries(run.tasks)) {
          if (id.includes(".")) ends.set(status, (ends.get(status) ?? 0) + 1);
        }
      }),
      { numRuns: 200 },
    );
    expect([...ends.keys()].toSorted()).toEqual(["CANCELLED", "COMPLETED", "FAILED"]);
  });

  it("[S3] whoever is cancelled, lost or paused: what a task's dependencies came to decides alone whether it may start", () => {
    let cancelled = 0;
    fc.assert(
      fc.property(plans, policies, scripts(anything), (plan, policy, script) => {
        const { events } = play(worldOf(plan, policy), plan, script);
        for (const { id, needs } of plan) {
          if (!hasStarted(events, id)) continue;
          const edges = needs.map(
            ({ task, when }) => edgeTable[endIn(events, plan, task) ?? "CANCELLED"][when],
          );
          expect([id, joinOf(edges)]).toEqual([id, "starts"]);
        }
        cancelled += events.filter(({ type }) => type === "task.cancelled").length;
      }),
      { numRuns: 300 },
    );
    // The control: such scripts do cancel.
    expect(cancelled).toBeGreaterThan(100);
  });

  it("[S4] under fail_fast all goes as under continue until the first failure that nobody waits for; from there nothing starts", () => {
    let stopped = 0;
    fc.assert(
      fc.property(plans, scripts(noise), (plan, script) => {
        const world = play(worldOf(plan, "fail_fast"), plan, script);
        const ends = endsOf(plan);
        const tripped = world.events.findIndex((event) => isAloneIn(plan, event));
        const before = tripped === -1 ? world.events : world.events.slice(0, tripped + 1);
        const judged = plan
          .map(({ id }) => [id, endIn(before, plan, id)] as const)
          .filter(([, end]) => end !== undefined || tripped === -1);
        expect(judged).toEqual(judged.map(([id]) => [id, ends.get(id)]));
        if (tripped === -1) return;
        stopped += 1;
        expect(world.outcome).toBe("FAILED");
        const after = world.events.slice(tripped + 1);
        expect(after.filter(({ type }) => type === "task.scheduled")).toEqual([]);
      }),
      { numRuns: 400 },
    );
    expect(stopped).toBeGreaterThan(50);
  });

  it.each([
    {
      edge: "a caught failure blocks what needed it",
      end: "CAUGHT",
      when: "completed",
      says: "blocked",
    },
    { edge: "an uncaught failure blocks nothing", end: "FAILED", when: "completed", says: "dead" },
    {
      edge: "a branch not taken blocks its join",
      end: "SKIPPED_CONDITION",
      when: "completed",
      says: "blocked",
    },
    {
      edge: "missing input is a branch not taken",
      end: "SKIPPED_DEPENDENCY",
      when: "completed",
      says: "dead",
    },
    {
      edge: "a success starts the handler of failures",
      end: "COMPLETED",
      when: "failed",
      says: "live",
    },
    { edge: "always is not always", end: "SKIPPED_DEPENDENCY", when: "always", says: "blocked" },
  ] as const)("control: it would be noticed if $edge", ({ end, when, says }) => {
    const wrong = { ...edgeTable, [end]: { ...edgeTable[end], [when]: says } };
    const law = fc.property(plans, scripts(noise), (plan, script) => {
      expectSameEnds(plan, script, wrong);
    });
    expect(fc.check(law, { numRuns: 2000, endOnFailure: true }).failed).toBe(true);
  });
});

/** A failure that no other task waits for with `failed` or `always`. */
function isAloneIn(plan: readonly Task[], event: RunEvent): boolean {
  if (event.type !== "task.failed" || !plan.some(({ id }) => id === event.taskId)) return false;
  return !plan.some(({ needs }) =>
    needs.some(({ task, when }) => task === event.taskId && when !== "completed"),
  );
}
