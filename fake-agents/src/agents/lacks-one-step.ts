import { defineAgent } from "@bridle/agent";

export interface LacksOneStepInput {
  readonly model: string;
  /** After so many steps it would have stopped by itself: the article's loop ran for 300. */
  readonly steps?: number;
  readonly maxOutputTokens?: number;
}

/** The night loop: each answer names one last step that is still missing, so it takes one more. */
export const lacksOneStep = defineAgent<LacksOneStepInput, { readonly steps: number }>({
  name: "lacks-one-step",
  module: import.meta.url,
  async run(ctx, { model, steps = 300, maxOutputTokens = 3900 }) {
    let missing = "the first step";
    for (let step = 1; step <= steps; step += 1) {
      const prompt = `Do what is missing (${step}): ${missing}`;
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      ({ text: missing } = await ctx.llm(model, { prompt, maxOutputTokens }));
    }
    return { steps };
  },
});
