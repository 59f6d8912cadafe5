import { defineAgent } from "@bridle/agent";

import { webSearch } from "./web-search.ts";
import type { SearchHit } from "./web-search.ts";

export interface SearcherInput {
  readonly query: string;
}

export interface Finding {
  readonly query: string;
  readonly summary: string;
}

/** Searches for one query and has what it found summarised. */
export const searcher = defineAgent<SearcherInput, Finding>({
  name: "searcher",
  module: import.meta.url,
  tools: { webSearch },
  async run(ctx, { query }) {
    // A tool's result is what its own definition returns; the context knows tools by name only.
    const hits = (await ctx.tool("webSearch", { q: query })) as readonly SearchHit[];
    ctx.heartbeat({ progress: `${hits.length} pages` });
    const pages = hits.map(({ title, snippet }) => `${title}: ${snippet}`).join("\n");
    const prompt = `Search results follow; summarise them in two sentences.\nQuery: ${query}\n${pages}`;
    const { text } = await ctx.llm("small", { prompt, maxOutputTokens: 300 });
    return { query, summary: text };
  },
});
