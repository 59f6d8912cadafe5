import { taskEnvelopeSchema, timeoutSpecSchema } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

describe("a timeout", () => {
  test.each(["0s", "0m0s", "0.1ms"])("of nothing is refused at its place: %s", (text) => {
    for (const clock of ["step", "task", "run"]) {
      const issue = timeoutSpecSchema.safeParse({ [clock]: text }).error?.issues[0];
      expect(issue?.path).toEqual([clock]);
      expect(issue?.message).toBe("A timeout is at least 1ms. Leave it away for the default.");
    }
  });

  test.each(["1ms", "90s", "366d"])("a workflow may have is one a worker can read: %s", (text) => {
    const { step, task } = timeoutSpecSchema.parse({ step: text, task: text });
    const envelope = {
      workflow: "w",
      agent: "a",
      input: {},
      stepMs: step,
      taskMs: task,
      priority: "foreground",
      allowModelFallback: true,
    };
    expect(taskEnvelopeSchema.safeParse(envelope).success).toBe(true);
  });
});
