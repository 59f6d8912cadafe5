import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

export interface WorksLongInput {
  readonly steps: number;
  readonly stepMs: number;
}

/** Takes long and always advances: no guard may ever stop it. The control of every other agent here. */
export const worksLong = defineAgent<WorksLongInput, { readonly steps: number }>({
  name: "works-long",
  module: import.meta.url,
  async run(ctx, { steps, stepMs }) {
    for (let step = 1; step <= steps; step += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one step after the other is the point
      await ctx.step(`part-${step}`, () => pause(stepMs, ctx.signal), { repeatable: true });
    }
    return { steps };
  },
});
