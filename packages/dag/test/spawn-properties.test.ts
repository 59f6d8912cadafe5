import { defaultSpawnCaps, isTerminalTask, parseSpawnedId, spawnDepth } from "@bridle/protocol";
import type { RunEvent, TaskStatus } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { play, policies, refolded, scripts } from "./support/play.ts";
import type { Disturbance } from "./support/play.ts";
import { plans, worldOf } from "./support/random-workflow.ts";

const kinds = fc.constantFrom<Disturbance["disturb"]>(
  "spawn",
  "spawn",
  "spawn",
  "none",
  "pause",
  "snapshot",
  "claim",
  "claim",
  "lose",
  "cancel",
  "cancel_child",
  "takeover",
  "park",
  "stale",
);
/** Small enough to be reached. */
const caps = fc.record({
  maxDepth: fc.integer({ min: 0, max: 3 }),
  maxPerTask: fc.integer({ min: 0, max: 3 }),
  maxPerRun: fc.integer({ min: 0, max: 12 }),
  maxLive: fc.integer({ min: 0, max: 6 }),
});
const runs = fc.tuple(plans, policies, scripts(kinds), caps);

const ends = new Set(["task.completed", "task.failed", "task.cancelled", "task.skipped"]);
const isEnd = (event: RunEvent): event is Extract<RunEvent, { readonly taskId: string }> =>
  ends.has(event.type) && "taskId" in event;

describe("[LF-8] laws of a run whose tasks spawn", () => {
  it("every task ends once, each after all that it spawned, and the run after all of them", () => {
    let all = 0;
    fc.assert(
      fc.property(runs, ([plan, policy, script, spawn]) => {
        const world = play(worldOf(plan, policy, { spawn }), plan, script);
        const ended: string[] = world.events.filter(isEnd).map(({ taskId }) => taskId);
        expect(new Set(ended).size).toBe(ended.length);
        for (const [id, status] of Object.entries(world.statuses())) {
          expect([id, isTerminalTask(status as TaskStatus)]).toEqual([id, true]);
          // The workflow's own end after nobody.
          const parent = parseSpawnedId(id)?.parent;
          const after = parent === undefined ? Infinity : ended.indexOf(parent);
          expect(ended.indexOf(id)).toBeLessThan(after);
        }
        expect(world.events.at(-1)?.type).toBe("run.finished");
        all += world.run.spawned?.total ?? 0;
      }),
      { numRuns: 400 },
    );
    // The control: the law is of runs in which it happens.
    expect(all).toBeGreaterThan(100);
  });

  it("[S6] no cap is ever passed, and each can be reached", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(runs, ([plan, policy, script, spawn]) => {
        const { events, answers } = play(worldOf(plan, policy, { spawn }), plan, script);
        let [total, live] = [0, 0];
        const ofParent = new Map<string, number>();
        for (const event of events) {
          if (isEnd(event) && parseSpawnedId(event.taskId) !== undefined) live -= 1;
          if (event.type !== "task.spawned") continue;
          [total, live] = [total + 1, live + 1];
          ofParent.set(event.parent, (ofParent.get(event.parent) ?? 0) + 1);
          expect(total).toBeLessThanOrEqual(spawn.maxPerRun);
          expect(live).toBeLessThanOrEqual(spawn.maxLive);
          expect(ofParent.get(event.parent)).toBeLessThanOrEqual(spawn.maxPerTask);
          expect(spawnDepth(event.taskId)).toBeLessThanOrEqual(spawn.maxDepth);
        }
        for (const answer of answers.values()) {
          if ("outcome" in answer && answer.outcome === "refused") {
            reached.add(String(answer.details["limit"]));
          }
        }
      }),
      { numRuns: 400 },
    );
    for (const cap of Object.keys(defaultSpawnCaps)) expect(reached).toContain(cap);
  });

  it("no worker is asked to stop a task while anything below it lives", () => {
    fc.assert(
      fc.property(runs, ([plan, policy, script, spawn]) => {
        const world = worldOf(plan, policy, { spawn });
        const perform = world.perform.bind(world);
        const early: string[] = [];
        world.perform = (command) => {
          if (command.type === "cancel-attempt") {
            const { status, children, returned } = world.run.tasks[command.taskId] ?? {};
            // Queued, it is over for its run already; the order only reaches whoever may have claimed it.
            const isAsked = status === "CANCELLING" && returned === undefined;
            if (isAsked && (children?.live ?? 0) > 0) early.push(command.taskId);
          }
          perform(command);
        };
        play(world, plan, script);
        expect(early).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("[S8] a snapshot, and a fold of the log from its start, are the same run; nothing is counted as alive", () => {
    fc.assert(
      fc.property(runs, fc.nat(), ([plan, policy, script, spawn], cut) => {
        const world = play(worldOf(plan, policy, { spawn }), plan, script);
        const run = refolded(world, cut);
        expect(run).toEqual(JSON.parse(JSON.stringify(world.run)));
        const { open, live, sleeping, parked, spawned } = run;
        expect([open, live, sleeping, parked, spawned?.live ?? 0]).toEqual([0, 0, 0, 0, 0]);
      }),
      { numRuns: 200 },
    );
  });
});
