import { startFakeProvider } from "@bridle/fake-agents/fake-llm";

const provider = await startFakeProvider({
  script: {
    models: { busy: [{ type: "status", status: 429, headers: { "retry-after": "7" } }] },
    otherwise: { type: "answer", text: "All well." },
  },
});

async function ask(model: string): Promise<Response> {
  return fetch(`${provider.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model, messages: [{ role: "user", content: "How are you?" }] }),
  });
}

console.log((await ask("busy")).status, (await ask("calm")).status, provider.counters().requests);
await provider.close();
