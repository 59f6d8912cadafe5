import { defineAgent } from "@bridle/agent";

/** Each call carries all that went before: successes only, and a bill that grows with the square of the steps (BR-4). */
export const climbsContext = defineAgent<{ readonly model?: string }, never>({
  name: "climbs-context",
  module: import.meta.url,
  async run(ctx, { model = "smart" }) {
    let history = "Tell me more about this.";
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      const { text } = await ctx.llm(model, { prompt: history, maxOutputTokens: 200 });
      history += `\n${text}\n${history}`;
    }
  },
});
