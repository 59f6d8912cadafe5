import { defineAgent } from "@bridle/agent";

interface CascadeInput {
  /** Children of each. */
  readonly width: number;
  /** Asked once by each, where there is one. */
  readonly model?: string;
}

interface CascadeOutput {
  /** Tasks below this one, it included. */
  readonly tasks: number;
  /** Spawns that were refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Spawns itself, as often as it may, as deep as it may, and would never end if it were let. In the worker's own process: a storm of tasks, not of processes. */
export const cascades = defineAgent<CascadeInput, CascadeOutput>({
  name: "cascades",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  spawns: ["cascades"],
  async run(ctx, { width, model }) {
    if (model !== undefined) {
      await ctx.llm(model, { prompt: `One of many: ${ctx.trace.taskId}`, maxOutputTokens: 10 });
    }
    const refused: Record<string, number> = {};
    const children = [];
    for (let each = 0; each < width; each += 1) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other, until there is no more
        children.push(await ctx.spawn<CascadeOutput>("cascades", { width, model }));
      } catch (error) {
        const { code = "unknown" } = error as { readonly code?: string };
        refused[code] = (refused[code] ?? 0) + 1;
      }
    }
    let tasks = 1;
    for (const outcome of await Promise.allSettled(children.map(async (one) => one.result()))) {
      if (outcome.status === "rejected") continue;
      tasks += outcome.value.tasks;
      for (const [code, count] of Object.entries(outcome.value.refused)) {
        refused[code] = (refused[code] ?? 0) + count;
      }
    }
    return { tasks, refused };
  },
});
