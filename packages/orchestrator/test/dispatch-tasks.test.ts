import { asRunId, asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { dispatchTasks } from "../src/dispatch-tasks.ts";

/** What is done for one attempt, in order, when the run is held from the fence on, or not. */
async function doneFor(isHeld: boolean): Promise<readonly string[]> {
  const done: string[] = [];
  await dispatchTasks({
    attempts: { raiseFences: async () => void done.push("fence") },
    queue: { enqueue: async () => void done.push("enqueue") },
    runId: asRunId("run_1"),
    commands: [
      {
        type: "dispatch-task",
        taskId: asTaskId("a"),
        attempt: 1,
        agent: "alpha",
        priority: "foreground",
      },
    ],
    isHeld: () => isHeld && done.includes("fence"),
  });
  return done;
}

describe("[LF-1] an attempt that was decided", () => {
  it("is fenced, then queued", async () => {
    expect(await doneFor(false)).toEqual(["fence", "enqueue"]);
  });

  it("is fenced and not queued when its run is paused by then", async () => {
    expect(await doneFor(true)).toEqual(["fence"]);
  });
});
