import { expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

it("[O1] whatever a worker tells of a task carries the trace of its run", async () => {
  const rig = await createVirtualRig({
    model: answerAtOnce,
    settings: { governorMode: "warn", governor: { callsPerSecond: 1, callsPerMinute: 1 } },
    agents: [
      inlineAgent("asks", async (context) => {
        context.heartbeat({ progress: "asking" });
        await context.llm("small", { prompt: "hello" });
        return (await context.llm("small", { prompt: "again" })).text;
      }),
    ],
  });
  await rig.runToEnd({ agent: "asks" });
  const told = rig.bus.filter((event) => "runId" in event);
  expect(told.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["task.claimed", "task.progress", "would_refuse", "step.finished"]),
  );
  expect(new Set(told.map(({ traceId }) => traceId))).toEqual(
    new Set(["0af7651916cd43dd8448eb211c80319c"]),
  );
  await rig.runner.stop(0);
  rig.breakers.close();
});
