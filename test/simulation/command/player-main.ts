/** A process that plays blocks of seeds, one after the other, for the process that started it, and ends with it. */
import { playSeeds, uncaughtInSeed } from "./play-seeds.ts";
import type { Block } from "./play-seeds.ts";

// Refusals are errors, and a stack costs more than the refusal. A failing seed is played again with stacks.
Error.stackTraceLimit = 0;

process.on("uncaughtException", uncaughtInSeed);
// A terminal tells everybody; whoever hands out the blocks decides.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
process.on("message", (block: Block) => {
  void playSeeds(block).then((tally) => process.send?.(tally));
});
