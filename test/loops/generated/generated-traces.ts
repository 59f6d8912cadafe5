import { seededRandom } from "@bridle/kernel/testing";

import type { Trace } from "../trace.ts";
import { goodFamilies } from "./good-families.ts";
import { loopFamilies } from "./loop-families.ts";
import { make } from "./trace-writer.ts";
import type { Family } from "./trace-writer.ts";

const seeds = [1, 2];

/** The same on every machine. */
export function generatedTraces(): readonly Trace[] {
  return seeds.flatMap((seed) => tracesOf(seed));
}

function tracesOf(seed: number): readonly Trace[] {
  const made = (label: Trace["label"], families: readonly Family[]): readonly Trace[] =>
    families.map((family) => make(family, { label, seed, random: seededRandom(seed) }));
  return [...made("good", goodFamilies), ...made("loop", loopFamilies)];
}
