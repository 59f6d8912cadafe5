import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

/** Hears that it is to stop, and goes on working; catches what is thrown at it, too. */
export const ignoresCancel = defineAgent<unknown, never>({
  name: "ignores-cancel",
  module: import.meta.url,
  async run(ctx) {
    for (let round = 1; ; round += 1) {
      try {
        ctx.heartbeat({ step: round });
        // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
        await pause(50);
      } catch {
        // Whatever it is, it is not going to stop for it.
      }
    }
  },
  onCancel: () => new Promise<never>(() => undefined),
});
