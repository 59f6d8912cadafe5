import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

/** Takes 16 MiB more with each step, outside the JavaScript heap, and advances all the while (X5). */
export const hogsMemory = defineAgent<{ readonly megabytes?: number }, { readonly kept: number }>({
  name: "hogs-memory",
  module: import.meta.url,
  async run(ctx, { megabytes = 4096 }) {
    const kept: Buffer[] = [];
    while (kept.length * 16 < megabytes) {
      kept.push(Buffer.alloc(16 * 1024 * 1024, kept.length + 1));
      ctx.heartbeat({ step: kept.length });
      // oxlint-disable-next-line no-await-in-loop -- growing step by step is the point
      await pause(20, ctx.signal);
    }
    return { kept: kept.length };
  },
});
