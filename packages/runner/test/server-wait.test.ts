import { expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

const chain = ["north/large", "south/large"];

/** The breaker of this target opens as it would by five failures. */
function open({ breakers }: VirtualRig, target: string): void {
  for (let failures = 0; failures < 5; failures += 1) {
    const admission = breakers.acquire([`provider:${target}`]);
    if (!admission.allowed) throw new Error(`${target} is open already`);
    const verdict = { tool: "ignored", agent: "ignored", provider: "failure" } as const;
    admission.permit.end({ ...verdict, failureKind: "server_error" });
  }
}

it.each([
  ["longer than its breaker stays open, is not asked again", 90_000, ["south/large"]],
  ["shorter than its breaker stays open, is asked again", 100, chain],
])(
  "[BR-17] of a step that waits for two breakers, a target that asked for a wait %s",
  async (_, retryAfterMs, again) => {
    const asked: (readonly string[])[] = [];
    const agent = inlineAgent("asks", async (context) => context.llm("large", { prompt: "hello" }));
    const rig = await createVirtualRig({
      agents: [agent],
      plan: () => ({ targets: chain }),
      model: async (call) => {
        asked.push(chain.filter((key) => call.without?.has(key) !== true));
        if (asked.length === 1) {
          const failure = { outcome: "failure", class: "rate_limit", retryAfterMs } as const;
          call.onEvent({ type: "attempt", target: "north/large", wireCall: 1, ...failure });
          open(rig, "north/large");
        }
        return answerAtOnce(call, { target: "south/large" });
      },
    });
    open(rig, "south/large");
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    expect(asked).toEqual([chain, again]);
    await rig.close();
  },
);
