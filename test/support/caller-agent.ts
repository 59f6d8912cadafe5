import { setTimeout as pause } from "node:timers/promises";

import { defineAgent } from "@bridle/agent";

export interface CallerInput {
  readonly model: string;
  readonly calls: number;
  /** Stands in every prompt, so that the provider's requests can be told apart. */
  readonly label?: string;
  readonly pauseMs?: number;
  readonly maxOutputTokens?: number;
  /** Goes on beyond `calls` until the test opens this gate. With a pause of a second the governor has nothing against it. */
  readonly gate?: string;
}

const openGates = new Set<string>();

/** Lets callers at that gate come to their end. */
export function openGate(name: string): void {
  openGates.add(name);
}

/** Makes so many calls and answers: the honest one among those that are stopped. In the worker's own process, to be quick. */
export const caller = defineAgent<CallerInput, { readonly calls: number }>({
  name: "caller",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 16,
  run: async (context, input) => {
    const { model, calls, label = "a call", pauseMs = 0, maxOutputTokens = 40, gate } = input;
    let made = 0;
    const isDone = (): boolean => made >= calls && (gate === undefined || openGates.has(gate));
    while (!isDone()) {
      made += 1;
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await context.llm(model, { prompt: `${label}, number ${made}`, maxOutputTokens });
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (pauseMs > 0) await pause(pauseMs, undefined, { signal: context.signal });
    }
    return { calls: made };
  },
});
