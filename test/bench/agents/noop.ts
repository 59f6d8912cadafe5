import { defineAgent } from "@bridle/agent";

/** Does nothing, in the worker's own process: what is measured is the orchestrator, not process starts. */
export const noop = defineAgent({
  name: "noop",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 16,
  run: () => null,
});
