import { defineAgent } from "@bridle/agent";

/** A promise that never settles: no beat, no step, no error (WD-6). */
export const goesSilent = defineAgent<unknown, never>({
  name: "goes-silent",
  module: import.meta.url,
  run: () => new Promise<never>(() => undefined),
});
