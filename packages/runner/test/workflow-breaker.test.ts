import { expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

it("[BR-13] a workflow with a lower threshold has its agent's breaker opened earlier, and only that workflow", async () => {
  const rig = await createVirtualRig({
    agents: [
      inlineAgent("hangs", async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw signal.reason;
      }),
    ],
  });
  const strict = { workflow: "strict", breaker: { consecutiveFailures: 2 } };
  const other = { workflow: "other" };
  for (const workflow of [other, other, strict, strict]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await rig.runToEnd({ agent: "hangs", taskMs: 1000, ...workflow });
  }
  const opened = rig.bus.filter(({ type }) => type === "breaker.open");
  expect(opened).toMatchObject([{ key: "agent:strict/hangs" }]);
  const refused = await rig.runToEnd({ agent: "hangs", ...strict });
  expect(await rig.outcome(refused)).toMatchObject({ cause: "breaker_open" });
  await rig.close();
});

it("[BR-17] when its agent's breaker opens, a running task finishes the step in hand and is let no other", async () => {
  let calls = 0;
  const rig = await createVirtualRig({
    model: async (call) => {
      calls += 1;
      const answer = answerAtOnce({
        ...call,
        admission: {
          admit: async (ask) => {
            const permit = await call.admission.admit(ask);
            const forcing = { state: "FORCED_OPEN", actor: "me", reason: "test" } as const;
            rig.breakers.force("agent:test/writer", forcing);
            return permit;
          },
        },
      });
      return answer;
    },
    agents: [
      inlineAgent("writer", async (context) => {
        const { text } = await context.llm("small", { prompt: "first" });
        context.heartbeat({ progress: text });
        await context.llm("small", { prompt: "second" });
      }),
    ],
  });
  const task = await rig.runToEnd({ agent: "writer" });
  expect(await rig.outcome(task)).toMatchObject({ cause: "breaker_open" });
  const steps = (await rig.log(task)).filter((event) => event.type === "step.finished");
  expect(steps).toMatchObject([{ outcome: "success" }, { outcome: "refused" }]);
  const { settled, reserved } = await rig.envelope(task);
  expect([calls, settled.calls, reserved.calls]).toEqual([2, 1, 0]);
  await rig.runner.stop(0);
  rig.breakers.close();
});
