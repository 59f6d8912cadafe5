import { defineAgent, defineTool, env } from "@bridle/agent";

const search = defineTool({
  name: "search",
  description: "Finds pages about a topic.",
  secrets: { key: env("SEARCH_KEY") },
  cost: { nanoUsd: 5_000_000 },
  run: async ({ topic }: { topic: string }, { secrets, signal }) => {
    signal.throwIfAborted();
    return [`${topic}, page 1 (found with a key of ${secrets["key"]?.length ?? 0} letters)`];
  },
});

export const researcher = defineAgent<{ topic: string }, { summary: string }>({
  name: "researcher",
  module: import.meta.url,
  tools: { search },
  async run(context, { topic }) {
    const pages = await context.tool("search", { topic });
    const answer = await context.llm("small", { prompt: `Summarise: ${JSON.stringify(pages)}` });
    const summary = await context.step("polish", () => answer.text.trim());
    return { summary };
  },
  onCancel: (context, { code }) => context.log.warn("stopped before the summary", { code }),
});
