import { expect, it } from "vitest";

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
  const stopping = rig.runner.stop(0);
  await rig.clock.advanceAsync(30_000);
  await stopping;
  rig.breakers.close();
});
