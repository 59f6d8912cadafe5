import { expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

/** Twelve calls of sixty tokens and one of nine hundred, paid by an envelope of that many tokens; in a run with that limit. */
async function openedBy(limits: { readonly task: number; readonly seen: number | undefined }) {
  const rig = await createVirtualRig({
    settings: { governorMode: "off" },
    model: async (call) => {
      const tokens = call.request.prompt === "all of it" ? 900 : 60;
      return answerAtOnce(call, { actual: { tokens } });
    },
    agents: [
      inlineAgent("writer", async (context) => {
        for (let call = 0; call < 12; call++) {
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await context.llm("small", { prompt: `part ${call}` });
        }
        await context.llm("small", { prompt: "all of it" });
      }),
    ],
  });
  const { seen } = limits;
  await rig.runToEnd({
    agent: "writer",
    limit: { tokens: limits.task },
    ...(seen === undefined ? {} : { envelopeTokens: seen }),
  });
  const opened = rig.bus.flatMap((event) =>
    event.type === "breaker.open" ? [[event.key, ...event.triggers]] : [],
  );
  await rig.runner.stop(0);
  rig.breakers.close();
  return opened;
}

it("[BR-4] [G10] a call many times the usual opens the agent's breaker and the chain's, above 1 % of a small envelope", async () => {
  expect(await openedBy({ task: 50_000, seen: 50_000 })).toEqual([
    ["chain:run_1", "burn_call"],
    ["agent:test/writer", "burn_call"],
  ]);
});

it.each([
  ["in an envelope that it hardly touches", 1_000_000, 1_000_000],
  ["in an envelope without limit, below 20,000 tokens", 1_000_000, undefined],
])("[BR-4] the same call opens nothing %s", async (_, task, seen) => {
  expect(await openedBy({ task, seen })).toEqual([]);
});
