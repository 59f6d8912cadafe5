import { setTimeout as pause } from "node:timers/promises";

import { defineAgent } from "@bridle/agent";

const inline = { module: import.meta.url, isolation: "inline", trusted: true } as const;

/** Returns what it was given. */
export const echo = defineAgent({
  ...inline,
  name: "echo",
  concurrency: 8,
  run: (_context, input) => input ?? null,
});

/** Fails until its third attempt. */
export const flaky = defineAgent<unknown, { readonly attempt: number }>({
  ...inline,
  name: "flaky",
  run: ({ trace: { attempt } }) => {
    if (attempt < 3) throw new Error(`Not at attempt ${attempt}.`);
    return { attempt };
  },
});

/** Works until it is told to stop. */
export const endless = defineAgent({
  ...inline,
  name: "endless",
  run: async (context) => {
    for (let step = 1; ; step += 1) {
      context.heartbeat({ step });
      // oxlint-disable-next-line no-await-in-loop -- it works, slowly
      await pause(50, undefined, { signal: context.signal });
    }
  },
});

/** Its first attempt falls into the hands of a worker that dies (see `scenarios.ts`). */
export const unlucky = defineAgent<unknown, { readonly attempt: number }>({
  ...inline,
  name: "unlucky",
  run: ({ trace: { attempt } }) => ({ attempt }),
});

/** The first job of each of its tasks is lost on its way to the queue. */
export const forgotten = defineAgent<unknown, { readonly attempt: number }>({
  ...inline,
  name: "forgotten",
  run: ({ trace: { attempt } }) => ({ attempt }),
});
