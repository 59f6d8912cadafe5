import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

/** Takes the signal that asks it to end as news, not as an order; only the one that does not ask ends it (WD-13). */
export const ignoresSigterm = defineAgent<unknown, never>({
  name: "ignores-sigterm",
  module: import.meta.url,
  async run(ctx) {
    process.on("SIGTERM", () => ctx.log.info("heard SIGTERM, staying"));
    for (let step = 1; ; step += 1) {
      ctx.heartbeat({ step });
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await pause(50);
    }
  },
});
