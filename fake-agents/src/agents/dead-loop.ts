import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

export interface DeadLoopInput {
  /** Default 200 ms. */
  readonly beatMs?: number;
}

/** F1: beats all the time and never advances. Looks alive to anyone who only counts beats. */
export const deadLoop = defineAgent<DeadLoopInput, never>({
  name: "dead-loop",
  module: import.meta.url,
  async run(ctx, { beatMs = 200 }) {
    for (;;) {
      ctx.heartbeat();
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await pause(beatMs, ctx.signal);
    }
  },
});
