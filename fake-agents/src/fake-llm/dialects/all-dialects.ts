import { anthropicMessages } from "./anthropic-messages.ts";
import type { Dialect, FakeApi } from "./dialect.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";

const dialects: Readonly<Record<FakeApi, Dialect>> = {
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  "anthropic-messages": anthropicMessages,
};

export function dialectOf(api: FakeApi): Dialect {
  return dialects[api];
}

/** The dialect that is spoken at this path, whatever its query. */
export function dialectAt(url: string): Dialect | undefined {
  const path = url.split("?", 1)[0] ?? "";
  return Object.values(dialects).find((dialect) => path.endsWith(dialect.path));
}
