import { defineAgent } from "@bridle/agent";

export interface LlmTaskInput {
  readonly model: string;
  readonly prompt: string;
  readonly system?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly cache?: "prefer" | "fallback" | undefined;
}

/** Runs tasks written as `llm: { model, prompt }`: an agent without code of its own. Our code, so it may share the process. */
export const llmAgent = defineAgent<LlmTaskInput, { readonly text: string }>({
  name: "llm",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 16,
  run: async (context, { model, ...request }) => {
    const { text } = await context.llm(model, request);
    return { text };
  },
});
