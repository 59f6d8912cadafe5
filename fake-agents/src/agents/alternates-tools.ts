import { defineAgent, defineTool } from "@bridle/agent";

const readConfig = defineTool<unknown, string>({
  name: "readConfig",
  description: "Reads what nobody changes.",
  run: () => "port: 80",
});

const checkService = defineTool<unknown, string>({
  name: "checkService",
  description: "Checks what nobody repairs.",
  run: () => "unhealthy",
});

/** Goes to and fro between two tools, neither of which has news: A-B-A-B (WD-18). */
export const alternatesTools = defineAgent<unknown, never>({
  name: "alternates-tools",
  module: import.meta.url,
  tools: { readConfig, checkService },
  async run(ctx) {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await ctx.tool("readConfig", { service: "web" });
      // oxlint-disable-next-line no-await-in-loop -- see above
      await ctx.tool("checkService", { service: "web" });
    }
  },
});
