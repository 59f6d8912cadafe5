import type { Message, ModelRequest } from "./llm-types.ts";

/** The conversation a request stands for: system first, then the messages, then the prompt. */
export function toMessages({ system, messages, prompt }: ModelRequest): readonly Message[] {
  return [
    ...(system === undefined ? [] : [{ role: "system", content: system } as const]),
    ...(messages ?? []),
    ...(prompt === undefined ? [] : [{ role: "user", content: prompt } as const]),
  ];
}
