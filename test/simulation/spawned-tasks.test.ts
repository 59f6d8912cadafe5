import type { CompiledWorkflow } from "@bridle/dag";
import type { LogEntry } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { childrenEndFirst } from "./invariants/children-end-first.ts";
import { judge, log, runId } from "./invariants/doctored-history.ts";
import type { Observation } from "./invariants/observation.ts";
import { tasksStartWhenAllowed } from "./invariants/tasks-start-when-allowed.ts";
import { generateScenario } from "./scenario/generate-scenario.ts";
import { tell } from "./world/story.ts";
import { World } from "./world/world.ts";

const caps = { maxDepth: 2, maxPerTask: 2, maxPerRun: 3, maxLive: 2 };
const submitted: Observation = {
  type: "submitted",
  runId,
  // What the invariants read of one.
  workflow: { tasks: [{ id: "a", dependsOn: [] }], spawn: caps } as unknown as CompiledWorkflow,
};
const begun = ["task.scheduled", { taskId: "a", attempt: 1 }] as const;
const ended = (taskId: string) => ["task.completed", { taskId }] as const;
const spawned = (taskId: string, parent: string, more: object = {}) =>
  ["task.spawned", { taskId, parent, parentAttempt: 1, key: taskId, ...more }] as const;
const started = (taskId: string) => ["task.scheduled", { taskId, attempt: 1 }] as const;
const own = (taskId: string, parent: string) => [spawned(taskId, parent), started(taskId)] as const;

describe("childrenEndFirst", () => {
  it("is content with a family whose leaves end first", () => {
    const family = log(
      begun,
      ...own("a.1", "a"),
      ...own("a.1.1", "a.1"),
      ended("a.1.1"),
      ended("a.1"),
      ...own("a.2", "a"),
      ended("a.2"),
      ended("a"),
    );
    expect(judge(childrenEndFirst(), [submitted, ...family])).toBeUndefined();
  });

  it.each([
    ["that ends before its child", [...own("a.1", "a"), ended("a")], "before its child a.1"],
    [
      "deeper than it may",
      [...own("a.1", "a"), ...own("a.1.1", "a.1"), ended("a.1.1"), ...own("a.1.1.1", "a.1.1")],
      "maxDepth",
    ],
    [
      "beside too many",
      [...own("a.1", "a"), ended("a.1"), ...own("a.2", "a"), ended("a.2"), ...own("a.3", "a")],
      "maxPerTask",
    ],
    [
      "while too many live",
      [...own("a.1", "a"), ...own("a.2", "a"), ...own("a.1.1", "a.1")],
      "maxLive",
    ],
    [
      "after all of the run's",
      [
        ...own("a.1", "a"),
        ...own("a.1.1", "a.1"),
        ended("a.1.1"),
        ...own("a.1.2", "a.1"),
        ended("a.1.2"),
        ...own("a.2", "a"),
      ],
      "maxPerRun",
    ],
    ["twice under one key", [spawned("a.1", "a"), spawned("a.2", "a", { key: "a.1" })], "the key"],
    ["by an attempt that is gone", [spawned("a.1", "a", { parentAttempt: 2 })], "not in hand"],
    [
      "of a run that winds down",
      [["run.cancelling", {}], spawned("a.1", "a")] as const,
      "winding down",
    ],
  ] as const)("[LF-8] sees a task %s", (_, entries, sentence) => {
    expect(judge(childrenEndFirst(), [submitted, ...log(begun, ...entries)])).toContain(sentence);
  });
});

describe("tasksStartWhenAllowed, of spawned tasks", () => {
  it.each([
    ["that nobody spawned", [started("a.1")], "nobody spawned it"],
    ["after its parent's end", [spawned("a.1", "a"), ended("a"), started("a.1")], "a had ended"],
    [
      "whose parent is to stop",
      [spawned("a.1", "a"), ["task.cancelling", { taskId: "a" }], started("a.1")],
      "was to stop",
    ],
  ] as const)("[LF-8] sees one %s", (_, entries, sentence) => {
    const history = [submitted, ...log(begun, ...entries)];
    expect(judge(tasksStartWhenAllowed(), history)).toContain(sentence);
  });
});

function note(counts: Map<string, number>, entry: LogEntry): void {
  const isOfChild = "taskId" in entry && entry.taskId.includes(".");
  const isAnswer = entry.type === "step.finished" && entry.kind === "spawn";
  if (!isOfChild && !isAnswer) return;
  const name = isAnswer ? `spawn ${entry.code ?? "given"}` : entry.type;
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

describe("worlds in which agents spawn", () => {
  it("[LF-8] [S6] have families that are refused, retried, lost and cancelled, with no invariant broken", async () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const world = new World(generateScenario(seed));
      // oxlint-disable-next-line no-await-in-loop -- a process plays one world at a time
      const { breach } = await world.play(tell);
      expect([seed, breach]).toEqual([seed, undefined]);
      for (const run of world.store.state.runs.values()) {
        for (const entry of run.log) note(counts, entry);
      }
    }
    const wanted = ["task.spawned", "task.retrying", "task.cancelled", "spawn spawn_limit"];
    expect(wanted.filter((name) => !counts.has(name))).toEqual([]);
    // Attempts that asked again were given what was there.
    const [given = 0, made = 0] = ["spawn given", "task.spawned"].map((name) => counts.get(name));
    expect(given).toBeGreaterThan(made);
  }, 120_000);
});
