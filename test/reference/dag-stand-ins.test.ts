import type { EventOf, RunEvent } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { play } from "../../packages/dag/test/support/play.ts";
import { plans, worldOf } from "../../packages/dag/test/support/random-workflow.ts";
import { edgeTable, joinOf } from "./dag-evaluator.ts";
import type { End, Task } from "./dag-evaluator.ts";

/** How each task has ended according to the log, but for whether its failure is caught. */
function endsIn(events: readonly RunEvent[]): ReadonlyMap<string, End> {
  const ends = new Map<string, End>();
  for (const event of events) {
    if (event.type === "task.completed") ends.set(event.taskId, "COMPLETED");
    else if (event.type === "task.failed") ends.set(event.taskId, "FAILED");
    else if (event.type === "task.cancelled") ends.set(event.taskId, "CANCELLED");
    else if (event.type === "task.skipped") {
      const isCondition = event.reason === "condition";
      ends.set(event.taskId, isCondition ? "SKIPPED_CONDITION" : "SKIPPED_DEPENDENCY");
    }
  }
  return ends;
}

/** Whose end an edge on `task` goes by: its stand-in's, unless it completed itself. */
function sourceOf(
  task: string,
  flow: EventOf<"run.degraded">,
  ends: ReadonlyMap<string, End>,
): string {
  const isReplaced = (flow.replaced as readonly string[]).includes(task);
  return isReplaced && ends.get(task) !== "COMPLETED" ? flow.by : task;
}

describe("a run in which a simpler flow stepped in, against the per-edge evaluator", () => {
  it("[BU-19] each task outside comes to what its edges say, those on a replaced task by its stand-in's end", () => {
    let flows = 0;
    const script = fc.array(
      fc.record({
        pick: fc.nat({ max: 1000 }),
        disturb: fc.constantFrom("refuse", "refuse", "none", "claim", "snapshot", "takeover"),
      }),
      { minLength: 1, maxLength: 30 },
    );
    const turnsOut = fc.constantFrom("completes", "fails");
    fc.assert(
      fc.property(plans, fc.nat(), turnsOut, script, (plan, chosen, standTurnsOut, turns) => {
        const one = plan[chosen % plan.length]?.id ?? "t0";
        const standIn = { id: "stand", agent: "worker", retry: { maxAttempts: 2 } };
        const world = worldOf(plan, "continue", { degrade: [{ replace: [one], with: standIn }] });
        const all = [...plan, { id: "stand", needs: [], turnsOut: standTurnsOut, maxFailures: 0 }];
        const { events } = play(world, all, turns);
        const flow = events.find((event) => event.type === "run.degraded");
        if (flow === undefined) return;
        flows += 1;
        expectEdges(plan, flow, endsIn(events));
      }),
      { numRuns: 500 },
    );
    expect(flows).toBeGreaterThan(50);
  });
});

function expectEdges(
  plan: readonly Task[],
  flow: EventOf<"run.degraded">,
  ends: ReadonlyMap<string, End>,
): void {
  const isOutside = (id: string): boolean => !(flow.replaced as readonly string[]).includes(id);
  // The branch is the workflow's: it is one whether or not the task on it was replaced. A stand-in has the branches out of its set.
  const isCaught = (source: string): boolean =>
    plan.some(({ id, needs }) =>
      needs.some(
        ({ task, when }) =>
          when === "failed" &&
          (task === source || (isOutside(id) && sourceOf(task, flow, ends) === source)),
      ),
    );
  for (const { id, needs, turnsOut } of plan.filter((task) => isOutside(task.id))) {
    const edges = needs.map(({ task, when }) => {
      const source = sourceOf(task, flow, ends);
      const end = ends.get(source) ?? "CANCELLED";
      return edgeTable[end === "FAILED" && isCaught(source) ? "CAUGHT" : end][when];
    });
    expect([id, reaches(joinOf(edges), turnsOut)]).toEqual([
      id,
      expect.arrayContaining([ends.get(id)]) as unknown,
    ]);
  }
}

/** The ends a task may come to: how it ends when it starts is its own affair. */
function reaches(join: "starts" | End, turnsOut: Task["turnsOut"]): readonly End[] {
  if (join !== "starts") return [join];
  return turnsOut === "skips" ? ["SKIPPED_CONDITION"] : ["COMPLETED", "FAILED"];
}
