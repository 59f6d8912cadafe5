import { defineAgent } from "@bridle/agent";

/** Waits for a child that waits for it: nobody would ever go on. */
export const waitsInCircles = defineAgent<{ readonly parent?: string }>({
  name: "waits-in-circles",
  module: import.meta.url,
  spawns: ["waits-in-circles"],
  async run(ctx, { parent }) {
    if (parent !== undefined) return ctx.result(parent);
    const child = await ctx.spawn("waits-in-circles", { parent: ctx.trace.taskId });
    return child.result();
  },
});
