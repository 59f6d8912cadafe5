import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

/** Works on past its cancellation, and then hands in a result after all (WD-14). */
export const answersLate = defineAgent<{ readonly lateMs?: number }, { readonly late: true }>({
  name: "answers-late",
  module: import.meta.url,
  async run(ctx, { lateMs = 100 }) {
    await new Promise<void>((resolve) =>
      ctx.signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    await pause(lateMs);
    return { late: true };
  },
});
