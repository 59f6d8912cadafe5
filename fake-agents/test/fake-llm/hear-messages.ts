import Anthropic from "@anthropic-ai/sdk";

import { clientOptions, prompt } from "./heard.ts";
import type { Asking, Heard } from "./heard.ts";

/** Anthropic messages, read by Anthropic's own client; of a stream it puts the message together itself. */
export async function hearMessages({ url, stream, maxTokens, signal }: Asking): Promise<Heard> {
  const { messages } = new Anthropic({ ...clientOptions, baseURL: url.replace(/\/v1$/, "") });
  const asked = {
    model: "m",
    max_tokens: maxTokens ?? 1000,
    messages: [{ role: "user" as const, content: prompt }],
  };
  const message = stream
    ? await messages.stream(asked, { signal }).finalMessage()
    : await messages.create(asked, { signal });
  const said = (type: "text" | "thinking"): string =>
    message.content
      .map((block) => {
        if (block.type !== type) return "";
        return block.type === "text" ? block.text : block.thinking;
      })
      .join("");
  return {
    text: said("text"),
    reasoning: said("thinking"),
    refusal: message.stop_reason === "refusal" ? said("text") : "",
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, arguments: block.input }] : [],
    ),
    stop: message.stop_reason,
    usage: message.usage,
  };
}
