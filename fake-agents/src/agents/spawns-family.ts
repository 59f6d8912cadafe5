import { defineAgent } from "@bridle/agent";

export interface FamilyInput {
  /** Generations below this one. */
  readonly generations: number;
  /** Children of each. Default 1. */
  readonly width?: number;
  /** The last generation waits until it is stopped. */
  readonly hangs?: boolean;
  /** Children are left to themselves. */
  readonly leaves?: boolean;
}

/** Has children, waits for them, and counts all below: the well-behaved parent among those that are stopped. */
export const spawnsFamily = defineAgent<FamilyInput, { readonly below: number }>({
  name: "spawns-family",
  module: import.meta.url,
  spawns: ["spawns-family"],
  concurrency: 1,
  async run(ctx, { generations, width = 1, hangs = false, leaves = false }) {
    if (generations === 0) {
      if (hangs) ctx.waiting("its stop", Date.now() + 3_600_000);
      await (hangs ? new Promise<never>(() => undefined) : undefined);
      return { below: 0 };
    }
    const input = { generations: generations - 1, width, hangs };
    const children = await Promise.all(
      Array.from({ length: width }, async (_, each) =>
        ctx.spawn<{ readonly below: number }>("spawns-family", input, { key: `child ${each}` }),
      ),
    );
    if (leaves) return { below: width };
    const results = await Promise.all(children.map(async (child) => child.result()));
    return { below: results.reduce((sum, { below }) => sum + 1 + below, 0) };
  },
});
