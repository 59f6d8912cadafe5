import { defineAgent } from "@bridle/agent";

export interface SlowCallInput {
  /** A model whose provider hangs. Default `slow`. */
  readonly model?: string;
}

/** F2: asks a model that does not come back. */
export const slowCall = defineAgent<SlowCallInput, { readonly text: string }>({
  name: "slow-call",
  module: import.meta.url,
  async run(ctx, { model = "slow" }) {
    const { text } = await ctx.llm(model, { prompt: "Take your time.", maxOutputTokens: 200 });
    return { text };
  },
});
