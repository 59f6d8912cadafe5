import type { FakeReply, FakeRequest } from "@bridle/fake-agents/fake-llm";

/** Of each provider, by what it does. */
export const models = ["alpha", "beta", "gamma"].flatMap((provider) =>
  ["unauthorized", "page", "late", "error", "limited"].map((model) => `${provider}-${model}`),
);

/** Every careless thing a provider or a gateway may do with what it was sent. */
export function careless({ model, headers }: FakeRequest): FakeReply {
  const sent = [headers["authorization"] ?? "", headers["x-gateway"] ?? ""];
  const key = sent[0]?.replace("Bearer ", "") ?? "";
  const base64 = sent.map((text) => Buffer.from(text).toString("base64"));
  const echoes = [...sent, ...sent.map(encodeURIComponent), ...base64].join(" ");
  const error = {
    message: `No: ${echoes}`,
    type: key,
    code: `code-${key}`,
    param: { key, base64 },
  };
  switch (model) {
    case "unauthorized":
      return { type: "status", status: 401, echoCredential: true };
    case "page":
      return { type: "status", status: 502, body: `<html>${echoes}</html>` };
    case "late":
      return { type: "error_in_200", error, afterCharacters: 5 };
    case "limited":
      return {
        type: "status",
        status: 429,
        headers: { "retry-after": "0", "x-request-id": key, "x-ratelimit-key": base64[0] ?? "" },
        body: { error },
      };
    default:
      return { type: "status", status: 400, body: { error } };
  }
}

/** Every way to meet a careless provider, a gossip and a careless tool. */
export const spec = {
  name: "leaks",
  onFailure: "continue",
  tasks: [
    ...models.map((model) => ({
      id: `agent-${model}`,
      agent: "messenger",
      input: { model },
      retry: { maxAttempts: 1 },
    })),
    ...models
      .filter((model) => model.startsWith("beta"))
      .map((model) => ({
        id: `llm-${model}`,
        llm: { model, prompt: "hello" },
        retry: { maxAttempts: 1 },
      })),
    { id: "gossip", agent: "gossip" },
    { id: "tools", agent: "tool-user", retry: { maxAttempts: 2, backoff: { initial: "1ms" } } },
  ],
};
