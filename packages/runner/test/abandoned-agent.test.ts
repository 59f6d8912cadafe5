import { sleep } from "@bridle/kernel";
import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

it("an inline agent that goes on beating after it was abandoned leaves no timer of ours", async () => {
  const ownTime = new SimulatedClock();
  const agent = inlineAgent("deaf", async (context) => {
    for (;;) {
      context.heartbeat({ step: 1 });
      // oxlint-disable-next-line no-await-in-loop -- its way of standing still
      await sleep({ clock: ownTime, ms: 1000 });
    }
  });
  const rig = await createVirtualRig({ agents: [agent] });
  const task = await rig.runToEnd({ agent: "deaf", taskMs: 20_000 });
  expect(await rig.outcome(task)).toMatchObject({ status: "failed" });
  expect(rig.runner.state.abandoned).toBe(1);
  const stopping = rig.runner.stop(0);
  await rig.clock.advanceAsync(20_000);
  await stopping;
  // The control: it is alive, and beats again.
  const before = rig.clock.pendingTimers;
  await ownTime.advanceAsync(1000);
  expect(ownTime.pendingTimers).toBe(1);
  expect(rig.clock.pendingTimers).toBe(before);
  expect(before).toBe(0);
});
