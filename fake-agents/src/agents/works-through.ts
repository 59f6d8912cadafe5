import { defineAgent, defineTool } from "@bridle/agent";
import type { AgentContext } from "@bridle/agent";

const readPage = defineTool<{ readonly page: number }, { readonly rows: string[] }>({
  name: "readPage",
  description: "Reads one page.",
  run: ({ page }) => ({ rows: [`row ${page}`] }),
});

/** Of the job that is waited for; begins anew when it is done. */
let polls = 0;

const jobStatus = defineTool<unknown, string>({
  name: "jobStatus",
  description: "Says whether the job is done: at the fiftieth time it is asked.",
  polling: true,
  run() {
    polls = (polls + 1) % 50;
    return polls === 0 ? "done" : "running";
  },
});

const writeRecord = defineTool<{ readonly record: number }, string>({
  name: "writeRecord",
  description: "Writes one record.",
  sideEffects: true,
  run: () => "ok",
});

const runTests = defineTool<{ readonly change: number }, string>({
  name: "runTests",
  description: "Runs the tests, of which every third change repairs one.",
  run: ({ change }) => `${20 - Math.floor(change / 3)} failing`,
});

const shapes = {
  /** Page by page. */
  async pages(ctx) {
    for (let page = 0; page < 60; page += 1)
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await ctx.tool("readPage", { page });
  },
  /** The same question of a polling tool until its answer changes. */
  async polls(ctx) {
    // oxlint-disable-next-line no-await-in-loop -- see above
    while ((await ctx.tool("jobStatus", { job: 7 })) !== "done");
  },
  /** Writes that each say "ok". */
  async writes(ctx) {
    for (let record = 0; record < 60; record += 1)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await ctx.tool("writeRecord", { record });
  },
  /** Change, test, change, test: most tests say what the one before said. */
  async changes(ctx) {
    for (let change = 0; change <= 60; change += 1) {
      // oxlint-disable-next-line no-await-in-loop -- see above
      await ctx.tool("writeRecord", { record: change });
      // oxlint-disable-next-line no-await-in-loop -- see above
      await ctx.tool("runTests", { change });
    }
  },
} satisfies Record<string, (ctx: AgentContext) => Promise<void>>;

export interface WorksThroughInput {
  readonly shape: keyof typeof shapes;
}

/** Good work that looks like a loop to whoever only counts: no guard may stop any shape of it. */
export const worksThrough = defineAgent<WorksThroughInput, { readonly shape: string }>({
  name: "works-through",
  module: import.meta.url,
  tools: { readPage, jobStatus, writeRecord, runTests },
  async run(ctx, { shape }) {
    await shapes[shape](ctx);
    return { shape };
  },
});
