import { defineAgent } from "@bridle/agent";

import type { Finding } from "./searcher.ts";

export interface WriterInput {
  readonly title: string;
  readonly findings: readonly Finding[];
  /** What a reviewer said, when one was asked. */
  readonly remarks?: string;
}

export interface Report {
  readonly title: string;
  readonly text: string;
}

/** Writes the report out of what was found, streaming as it goes. */
export const writer = defineAgent<WriterInput, Report>({
  name: "writer",
  module: import.meta.url,
  async run(ctx, { title, findings, remarks }) {
    const list = findings.map(({ summary }) => `- ${summary}`).join("\n");
    const prompt = `Write a report.\nTitle: ${title}\n${list}\nRemarks of the reviewer: ${remarks ?? "none"}`;
    let characters = 0;
    const { text } = await ctx.llm("smart", {
      prompt,
      maxOutputTokens: 1200,
      onDelta: (delta) => {
        characters += delta.length;
        ctx.heartbeat({ progress: `${characters} characters` });
      },
    });
    return { title, text };
  },
});
