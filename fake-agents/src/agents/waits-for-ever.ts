import { defineAgent } from "@bridle/agent";

/** Says that it waits, until a time nobody will live to see: neither a stall nor a step, and no end (WD-7). */
export const waitsForEver = defineAgent<{ readonly hours?: number }, never>({
  name: "waits-for-ever",
  module: import.meta.url,
  run(ctx, { hours = 24 }) {
    ctx.waiting("an answer that nobody will give", Date.now() + hours * 3_600_000);
    return new Promise<never>(() => undefined);
  },
});
