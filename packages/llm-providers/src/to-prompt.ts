import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { Message } from "@bridle/protocol";

export function toPrompt(messages: readonly Message[]): LanguageModelV3Prompt {
  return messages.map(({ role, content }) =>
    role === "system"
      ? { role, content }
      : { role, content: [{ type: "text" as const, text: content }] },
  );
}
