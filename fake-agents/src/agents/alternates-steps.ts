import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

/** Goes to and fro between step 1 and step 2: each beat differs from the last and nothing advances (WD-5). */
export const alternatesSteps = defineAgent<{ readonly beatMs?: number }, never>({
  name: "alternates-steps",
  module: import.meta.url,
  async run(ctx, { beatMs = 200 }) {
    for (let step = 1; ; step = 3 - step) {
      ctx.heartbeat({ step });
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await pause(beatMs, ctx.signal);
    }
  },
});
