import { defineAgent, defineTool } from "@bridle/agent";

const lookAround = defineTool<{ readonly where: string }, string>({
  name: "lookAround",
  description: "Looks somewhere; finds nothing.",
  run: () => "Nothing new.",
});

export interface RepeatsToolInput {
  /** Words the arguments differently each time, so that only the results betray the loop. */
  readonly paraphrases?: boolean;
}

/** A real loop: the step number rises, the same call brings the same result, for ever (WD-18). */
export const repeatsTool = defineAgent<RepeatsToolInput, never>({
  name: "repeats-tool",
  module: import.meta.url,
  tools: { lookAround },
  async run(ctx, { paraphrases = false }) {
    for (let round = 1; ; round += 1) {
      const where = paraphrases ? `somewhere else, take ${round}` : "here";
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await ctx.tool("lookAround", { where });
    }
  },
});
