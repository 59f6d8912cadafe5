import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import { createFetch } from "@bridle/transport";

const provider = await startFakeProvider();
const fetch = createFetch({ connectMs: 5000 });

let seenBytes = 0;
const response = await fetch(`${provider.url}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] }),
  expect: "event-stream",
  onBytes: (count) => {
    seenBytes += count;
  },
});
const body = await response.text();
console.log(response.status, body.length === seenBytes, body.endsWith("data: [DONE]\n\n"));

await fetch.close();
await provider.close();
