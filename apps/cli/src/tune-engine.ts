import { setFlagsFromString } from "node:v8";

/**
 * How far the heap may grow between two full collections, in percent of what is in use. V8's own rule lets it grow up to
 * fourfold: a run of 10,000 tasks made the process 550 to 590 MiB large, and with 70 % it is 450 to 495, for no processor
 * time that could be told from noise. Read at each collection.
 */
const heapGrowingPercent = 70;

/**
 * How much of a function of the embedded database must have run before it is compiled a second time, for speed. With
 * V8's 1.8 million a quarter of a start's processor time went into functions that only the start needs; with 40 million
 * a run of 3,000 tasks took a sixth longer (all measured). Read when the database is loaded.
 */
const wasmTieringBudget = 20_000_000;

/** For processes that run for long, before they load anything large. */
export function tuneEngine(): void {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`);
  setFlagsFromString(`--wasm-tiering-budget=${wasmTieringBudget}`);
}
