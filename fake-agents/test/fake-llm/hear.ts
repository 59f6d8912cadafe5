import { startFakeProvider } from "../../src/fake-llm/index.ts";
import type { FakeApi, FakeCounters, FakeProvider, FakeReply } from "../../src/fake-llm/index.ts";
import { until } from "../until.ts";
import { hearChat } from "./hear-chat.ts";
import { hearMessages } from "./hear-messages.ts";
import { hearResponses } from "./hear-responses.ts";
import type { Asking, Heard } from "./heard.ts";

export const hear: Readonly<Record<FakeApi, (asking: Asking) => Promise<Heard>>> = {
  "openai-chat": hearChat,
  "openai-responses": hearResponses,
  "anthropic-messages": hearMessages,
};

export const apis: readonly FakeApi[] = ["openai-chat", "openai-responses", "anthropic-messages"];

export const forms = apis.flatMap((api) => [
  { api, stream: true, form: "streamed" },
  { api, stream: false, form: "whole" },
]);

/** A provider with this script, closed whatever happens. */
export async function withProvider<Result>(
  script: readonly FakeReply[],
  use: (provider: FakeProvider) => Promise<Result>,
): Promise<Result> {
  const provider = await startFakeProvider({ script });
  try {
    return await use(provider);
  } finally {
    await provider.close();
  }
}

/** One reply as its client has it, and what it cost. */
export async function hearReply(
  reply: FakeReply,
  { api, ...asking }: Omit<Asking, "url"> & { readonly api: FakeApi },
): Promise<Heard & { readonly counters: FakeCounters }> {
  return withProvider([reply], async (provider) => {
    const heard = await hear[api]({ ...asking, url: provider.url });
    await until(() => provider.counters().open === 0);
    return { ...heard, counters: provider.counters() };
  });
}
