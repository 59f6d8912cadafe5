import { defineAgent } from "@bridle/agent";

/** What a bench in the same process may read of the agent's runs. */
export const noopStarts = { count: 0, lastMs: 0 };

/** Does nothing, in the worker's own process: what is measured is the orchestrator, not process starts. */
export const noop = defineAgent({
  name: "noop",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 16,
  run: () => {
    noopStarts.count += 1;
    noopStarts.lastMs = performance.now();
    return null;
  },
});
