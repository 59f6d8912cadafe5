import { systemClock, systemRandom } from "@bridle/kernel/system";
import { createModelCaller } from "@bridle/llm";
import type { ModelTarget } from "@bridle/ports";

const target: ModelTarget = {
  key: "local/echo",
  async *stream({ messages }) {
    yield { type: "text", text: `You said: ${messages.at(-1)?.content ?? "nothing"}` };
    yield { type: "usage", usage: { inputTokens: 9, outputTokens: 6 } };
    yield { type: "finish", reason: "stop", raw: "stop" };
  },
};

// Nano-USD per million tokens: 2 and 6 US dollars.
const price = { input: 2_000_000_000, output: 6_000_000_000 };

const caller = createModelCaller({
  models: { find: (name) => ({ name, chain: [{ target, price, maxOutputTokens: 200 }] }) },
  clock: systemClock,
  random: systemRandom,
});

const { response, spent, degraded } = await caller.call({
  request: { model: "smart", prompt: "Hello" },
  admission: { admit: async () => ({ end: async () => undefined }) },
  priority: "foreground",
  allowModelFallback: true,
  onEvent: () => undefined,
  signal: AbortSignal.timeout(60_000),
  deadlineMs: systemClock.monotonicMs() + 60_000,
});
console.log(response.text, spent, degraded);
