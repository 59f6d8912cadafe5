import { defineAgent } from "@bridle/agent";

import type { Finding } from "./searcher.ts";

export interface ReviewerInput {
  readonly findings: readonly Finding[];
}

export interface Review {
  readonly verdict: string;
  readonly remarks: string;
}

/** Reads what was found and says whether it will do. */
export const reviewer = defineAgent<ReviewerInput, Review>({
  name: "reviewer",
  module: import.meta.url,
  async run(ctx, { findings }) {
    const list = findings.map(({ summary }) => `- ${summary}`).join("\n");
    const prompt = `Review these summaries; answer as JSON with a verdict and remarks.\n${list}`;
    const { text } = await ctx.llm("smart", { prompt, maxOutputTokens: 300 });
    const { verdict, remarks } = JSON.parse(text) as Partial<Review>;
    return { verdict: verdict ?? "unclear", remarks: remarks ?? text };
  },
});
