import { defineAgent } from "@bridle/agent";

export interface BudgetBlowOutInput {
  /** A model whose provider bills twice what was asked for. Default `greedy`. */
  readonly model?: string;
  readonly maxOutputTokens?: number;
  /** Goes on after a refusal, as an agent does that catches everything. */
  readonly catchesRefusals?: boolean;
}

/** F3: spends twice the estimate at each step and never has enough. */
export const budgetBlowOut = defineAgent<BudgetBlowOutInput, never>({
  name: "budget-blow-out",
  module: import.meta.url,
  async run(ctx, { model = "greedy", maxOutputTokens = 200, catchesRefusals = false }) {
    for (let round = 1; ; round += 1) {
      const request = { prompt: `Round ${round}: say more than I asked for.`, maxOutputTokens };
      try {
        // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
        await ctx.llm(model, request);
      } catch (error) {
        if (!catchesRefusals || ctx.signal.aborted) throw error;
      }
    }
  },
});
