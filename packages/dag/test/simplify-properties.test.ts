import { isTerminalTask } from "@bridle/protocol";
import type { EventOf, RunEvent } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { play, policies, refolded, scripts } from "./support/play.ts";
import type { Disturbance } from "./support/play.ts";
import { plans, worldOf } from "./support/random-workflow.ts";
import type { Planned } from "./support/random-workflow.ts";
import type { World } from "./support/world.ts";

/** The chosen tasks and everything that lies between two of them. */
function closed(plan: readonly Planned[], chosen: ReadonlySet<string>): ReadonlySet<string> {
  const after = new Set<string>();
  for (const { id, needs } of plan) {
    if (needs.some(({ task }) => chosen.has(task) || after.has(task))) after.add(id);
  }
  const before = new Set<string>();
  for (const { id, needs } of plan.toReversed()) {
    if (!chosen.has(id) && !before.has(id)) continue;
    for (const { task } of needs) before.add(task);
  }
  const between = plan.filter(({ id }) => after.has(id) && before.has(id)).map(({ id }) => id);
  return new Set([...chosen, ...between]);
}

interface Alternative {
  readonly plan: readonly Planned[];
  readonly replace: ReadonlySet<string>;
  readonly turnsOut: "completes" | "fails";
}

const alternatives: fc.Arbitrary<Alternative> = plans.chain((plan) =>
  fc
    .record({
      chosen: fc.subarray(
        plan.map(({ id }) => id),
        { minLength: 1, maxLength: Math.min(3, plan.length) },
      ),
      turnsOut: fc.constantFrom<Alternative["turnsOut"]>("completes", "completes", "fails"),
    })
    .map(({ chosen, turnsOut }) => ({ plan, replace: closed(plan, new Set(chosen)), turnsOut })),
);

const kinds = fc.constantFrom<Disturbance["disturb"]>(
  "refuse",
  "refuse",
  "none",
  "pause",
  "snapshot",
  "claim",
  "lose",
  "cancel",
  "takeover",
  "stale",
);

function played(
  { plan, replace, turnsOut }: Alternative,
  policy: string,
  script: readonly Disturbance[],
): World {
  const standIn = { id: "stand", agent: "worker", retry: { maxAttempts: 2 } };
  const degrade = [{ replace: [...replace], with: standIn }];
  const all = [...plan, { id: "stand", needs: [], turnsOut, maxFailures: 0 }];
  return play(worldOf(plan, policy, { degrade }), all, script);
}

function degradation(events: readonly RunEvent[]): EventOf<"run.degraded"> | undefined {
  return events.find((event) => event.type === "run.degraded");
}

function placeOf(events: readonly RunEvent[], id: string, types: readonly string[]): number {
  return events.findIndex((e) => "taskId" in e && e.taskId === id && types.includes(e.type));
}

const starts = ["task.scheduled", "task.expanded"];
const ends = ["task.completed", "task.failed", "task.cancelled", "task.skipped"];

describe("[BU-19] laws of a run in which a simpler flow may step in", () => {
  it("every task ends once, the run ends once, and at most one flow stepped in", () => {
    let stepped = 0;
    fc.assert(
      fc.property(alternatives, policies, scripts(kinds), (alternative, policy, script) => {
        const { events, run } = played(alternative, policy, script);
        for (const [id, { status }] of Object.entries(run.tasks)) {
          const own = events.filter(
            (e) => "taskId" in e && e.taskId === id && ends.includes(e.type),
          );
          expect([id, isTerminalTask(status), own.length]).toEqual([id, true, 1]);
        }
        expect(events.at(-1)?.type).toBe("run.finished");
        const flows = events.filter(({ type }) => type === "run.degraded").length;
        expect(flows).toBeLessThanOrEqual(1);
        expect(Object.hasOwn(run.tasks, "stand")).toBe(flows === 1);
        stepped += flows;
      }),
      { numRuns: 400 },
    );
    // The control: the law is of runs in which it happens.
    expect(stepped).toBeGreaterThan(40);
  });

  it("a snapshot, and a fold of the log from its start, are the same run, its counters back at nothing", () => {
    fc.assert(
      fc.property(
        alternatives,
        policies,
        scripts(kinds),
        fc.nat(),
        (alternative, policy, script, cut) => {
          const world = played(alternative, policy, script);
          const run = refolded(world, cut);
          expect(run).toEqual(JSON.parse(JSON.stringify(world.run)));
          const { open, live, sleeping, parked } = run;
          expect([open, live, sleeping, parked]).toEqual([0, 0, 0, 0]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a replaced task starts nothing any more, and ends as cancelled or by its own result", () => {
    fc.assert(
      fc.property(alternatives, policies, scripts(kinds), (alternative, policy, script) => {
        const { events, run } = played(alternative, policy, script);
        const flow = degradation(events);
        if (flow === undefined) return;
        const since = events.indexOf(flow);
        for (const id of flow.replaced) {
          const later = events
            .slice(since)
            .filter((e) => "taskId" in e && e.taskId.split("[")[0] === id);
          expect(later.map(({ type }) => type)).not.toContain("task.scheduled");
          expect(later.map(({ type }) => type)).not.toContain("task.expanded");
          // A fan-out that had failed already and waited for its last items ends as it would have.
          expect(["CANCELLED", "COMPLETED", "FAILED"]).toContain(run.tasks[id]?.status);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("nobody outside starts on a replaced task before both it and its stand-in have ended", () => {
    fc.assert(
      fc.property(alternatives, policies, scripts(kinds), (alternative, policy, script) => {
        const { events } = played(alternative, policy, script);
        const flow = degradation(events);
        const replaced = new Set<string>(flow?.replaced);
        for (const { id, needs } of alternative.plan) {
          const start = placeOf(events, id, starts);
          if (start === -1 || replaced.has(id)) continue;
          for (const { task } of needs) {
            const awaited = replaced.has(task) ? [task, "stand"] : [task];
            for (const each of awaited) {
              const end = placeOf(events, each, ends);
              expect([each, end >= 0 && end < start]).toEqual([each, true]);
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
