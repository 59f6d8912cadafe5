import { defineAgent, defineTool } from "@bridle/agent";

const brokenTool = defineTool<unknown, never>({
  name: "brokenTool",
  description: "Always fails.",
  run: () => {
    throw new Error("The service behind this tool is down.");
  },
});

/** Calls a tool that always fails, and does not take no for an answer until its breaker opens (B5). */
export const failsTool = defineAgent<{ readonly rounds?: number }, { readonly codes: string[] }>({
  name: "fails-tool",
  module: import.meta.url,
  tools: { brokenTool },
  async run(ctx, { rounds = 20 }) {
    const codes: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        await ctx.tool("brokenTool", { round });
      } catch (error) {
        ctx.signal.throwIfAborted();
        codes.push((error as { code?: string }).code ?? "none");
      }
    }
    return { codes };
  },
});
