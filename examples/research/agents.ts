import { defineAgent, defineTool } from "@bridle/agent";

interface Plan {
  readonly title: string;
  readonly queries: readonly string[];
}

/** Stands for a real search: a tool is any function whose result has a JSON form. */
const webSearch = defineTool<{ readonly q: string }, readonly string[]>({
  name: "webSearch",
  description: "Searches the web.",
  timeoutMs: 10_000,
  run: ({ q }) => [`An overview of ${q}.`, `A field study of ${q}.`],
});

export const planner = defineAgent<{ readonly topic: string }, Plan>({
  name: "planner",
  module: import.meta.url,
  async run(ctx, { topic }) {
    const prompt = `Plan a piece of research: JSON with a title and queries, no other text.\nTopic: ${topic}`;
    const { text } = await ctx.llm("smart", { prompt, maxOutputTokens: 400 });
    // A model that answers something else makes this throw, and the task's retry policy decides.
    const plan = JSON.parse(text) as Plan;
    return { title: plan.title, queries: plan.queries.slice(0, 10) };
  },
});

export const searcher = defineAgent<{ readonly query: string }, string>({
  name: "searcher",
  module: import.meta.url,
  tools: { webSearch },
  async run(ctx, { query }) {
    // Tools are called by name, so their results are `unknown` here.
    const pages = (await ctx.tool("webSearch", { q: query })) as readonly string[];
    const prompt = `Search results follow; summarise them.\nQuery: ${query}\n${pages.join("\n")}`;
    const { text } = await ctx.llm("smart", { prompt, maxOutputTokens: 300 });
    return text;
  },
});

export const writer = defineAgent<
  { readonly title: string; readonly findings: readonly string[] },
  { readonly text: string }
>({
  name: "writer",
  module: import.meta.url,
  async run(ctx, { title, findings }) {
    const list = findings.map((finding) => `- ${finding}`).join("\n");
    const prompt = `Write a short report.\nTitle: ${title}\n${list}`;
    let characters = 0;
    const { text } = await ctx.llm("smart", {
      prompt,
      maxOutputTokens: 1200,
      onDelta: (delta) => {
        characters += delta.length;
        ctx.heartbeat({ progress: `${characters} characters` });
      },
    });
    return { text };
  },
});
