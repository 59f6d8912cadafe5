import { defineAgent } from "@bridle/agent";
import type { AgentContext, ChildTask } from "@bridle/agent";

interface CascadeInput {
  /** Children of each. */
  readonly width: number;
  /** Whether it goes on asking after it was refused. Default: it does. */
  readonly insists?: boolean;
  /** Asked once by each, where there is one. */
  readonly model?: string;
}

interface CascadeOutput {
  /** Tasks below this one, it included. */
  readonly tasks: number;
  /** Spawns that were refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

type Count = Record<string, number>;

/** Spawns itself, as often as it may, as deep as it may, and would never end if it were let. In the worker's own process: a storm of tasks, not of processes. */
export const cascades = defineAgent<CascadeInput, CascadeOutput>({
  name: "cascades",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  spawns: ["cascades"],
  async run(ctx, input) {
    if (input.model !== undefined) {
      const prompt = `One of many: ${ctx.trace.taskId}`;
      await ctx.llm(input.model, { prompt, maxOutputTokens: 10 });
    }
    const refused: Count = {};
    const children = await askFor(ctx, input, refused);
    let tasks = 1;
    for (const outcome of await Promise.allSettled(children.map(async (one) => one.result()))) {
      if (outcome.status === "rejected") continue;
      tasks += outcome.value.tasks;
      for (const [code, count] of Object.entries(outcome.value.refused)) add(refused, code, count);
    }
    return { tasks, refused };
  },
});

/** One after the other, until there is no more. */
async function askFor(
  ctx: AgentContext<CascadeInput>,
  input: CascadeInput,
  refused: Count,
): Promise<readonly ChildTask<CascadeOutput>[]> {
  const children: ChildTask<CascadeOutput>[] = [];
  for (let each = 0; each < input.width; each += 1) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- see above
      children.push(await ctx.spawn<CascadeOutput>("cascades", input));
    } catch (error) {
      const { code = "unknown" } = error as { readonly code?: string };
      add(refused, code, 1);
      if (input.insists === false) break;
    }
  }
  return children;
}

function add(counts: Count, code: string, more: number): void {
  counts[code] = (counts[code] ?? 0) + more;
}
