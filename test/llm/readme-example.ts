import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import { createFetch } from "@bridle/transport";

const provider = await startFakeProvider({ script: [{ type: "answer", text: "Hello." }] });
const fetch = createFetch();
const target = createOpenAiCompatibleTarget({
  provider: "local",
  model: "some-model",
  baseUrl: provider.url,
  apiKey: () => "a-key-for-nothing",
  fetch,
});

for await (const part of target.stream({
  messages: [{ role: "user", content: "Say hello." }],
  maxOutputTokens: 100,
  signal: AbortSignal.timeout(60_000),
})) {
  if (part.type !== "activity") console.log(part);
}

await fetch.close();
await provider.close();
