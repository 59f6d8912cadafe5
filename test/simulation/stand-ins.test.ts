import type { CompiledWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { judge, log, runId } from "./invariants/doctored-history.ts";
import type { Observation } from "./invariants/observation.ts";
import { tasksStartWhenAllowed } from "./invariants/tasks-start-when-allowed.ts";
import { generateScenario } from "./scenario/generate-scenario.ts";
import { tell } from "./world/story.ts";
import { World } from "./world/world.ts";

/** `a`, which `quick` may step in for, and `b`, which waits for it. */
function submitted(when: "completed" | "failed" | "always"): Observation {
  const task = { agent: "alpha", dependsOn: [], retry: { maxAttempts: 2 } };
  const workflow = {
    name: "w",
    tasks: [
      { ...task, id: "a" },
      { ...task, id: "b", dependsOn: [{ task: "a", when }] },
    ],
    degrade: [{ replace: ["a"], with: { ...task, id: "quick" } }],
  };
  return { type: "submitted", runId, workflow: workflow as unknown as CompiledWorkflow };
}

const flow = ["run.degraded", { by: "quick", replaced: ["a"], taskId: "a", attempt: 1 }] as const;
const gone = ["task.cancelled", { taskId: "a", attempt: 1 }] as const;
const begun = ["task.scheduled", { taskId: "b", attempt: 1 }] as const;

describe("tasksStartWhenAllowed, once a simpler flow stepped in", () => {
  it.each([
    ["completed", "task.completed"],
    ["failed", "task.failed"],
  ] as const)("[BU-19] is content with a task that goes by its stand-in's end: %s", (when, end) => {
    const history = [
      submitted(when),
      ...log(
        flow,
        gone,
        ["task.scheduled", { taskId: "quick" }],
        [end, { taskId: "quick" }],
        begun,
      ),
    ];
    expect(judge(tasksStartWhenAllowed(), history)).toBeUndefined();
  });

  it.each([
    ["before the stand-in has ended", [flow, gone, begun], "before quick had ended"],
    [
      "although the stand-in failed",
      [flow, gone, ["task.failed", { taskId: "quick" }], begun],
      "its join says SKIPPED_DEPENDENCY",
    ],
    ["again after it was replaced", [flow, ["task.scheduled", { taskId: "a" }]], "was replaced"],
  ] as const)("[BU-19] sees a task that starts %s", (_, entries, sentence) => {
    const history = [submitted("completed"), ...log(...entries)];
    expect(judge(tasksStartWhenAllowed(), history)).toContain(sentence);
  });
});

describe("worlds in which a simpler flow may step in", () => {
  it("[BU-19] have some in which it does, with no invariant broken", async () => {
    let flows = 0;
    for (let seed = 1; seed <= 40; seed += 1) {
      const world = new World(generateScenario(seed));
      // oxlint-disable-next-line no-await-in-loop -- a process plays one world at a time
      const { breach } = await world.play(tell);
      expect([seed, breach]).toEqual([seed, undefined]);
      for (const { log: entries } of world.store.state.runs.values()) {
        flows += entries.filter(({ type }) => type === "run.degraded").length;
      }
    }
    expect(flows).toBeGreaterThan(0);
  }, 120_000);
});
