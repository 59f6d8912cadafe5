import { defineAgent, defineTool } from "@bridle/agent";

/** How often each part has failed since it last came through. */
const failures = new Map<number, number>();

const fetchPart = defineTool<{ readonly part: number }, string>({
  name: "fetchPart",
  description:
    "Fetches a part, after as many failures as the part's number leaves when divided by four.",
  run({ part }) {
    const failed = failures.get(part) ?? 0;
    if (failed < part % 4) {
      failures.set(part, failed + 1);
      throw new Error("Connection reset.");
    }
    failures.delete(part);
    return `bytes of part ${part}`;
  },
});

export interface FlappingToolInput {
  readonly parts?: number;
  /** Fetches the first part that fails once for ever, as if it had forgotten that it has it. */
  readonly forgets?: boolean;
}

/** A tool that fails now and then, and an agent that tries again until it works: good work, unless it forgets. */
export const flappingTool = defineAgent<FlappingToolInput, { readonly parts: number }>({
  name: "flapping-tool",
  module: import.meta.url,
  tools: { fetchPart },
  async run(ctx, { parts = 24, forgets = false }) {
    // What an earlier task left behind, in the same process, is not this one's.
    failures.clear();
    const last = forgets ? Infinity : parts;
    for (let fetched = 0; fetched < last;) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one part after the other
        await ctx.tool("fetchPart", { part: forgets ? 1 : fetched });
        fetched += 1;
      } catch (error) {
        // A guard's refusal has a code; the tool's own error has none.
        if ((error as { code?: string }).code !== undefined) throw error;
      }
    }
    return { parts };
  },
});
