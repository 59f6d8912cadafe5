import { seededRandom } from "@bridle/kernel/testing";

import { Draw } from "./draw.ts";
import type { Scenario } from "./scenario.ts";

/**
 * The limits of a world's day: in a third of the worlds there is plenty, in a third it runs dry while they are at work, in a third
 * there is none. From a stream of its own, so that the rest of a seed's world is as it was.
 */
export function generateDays(seed: number): Scenario["perDay"] {
  const draw = new Draw(seededRandom(Math.imul(seed, 0x2545f491) + 77));
  const installation = draw.of([undefined, plenty, scarce(draw)]);
  const key = draw.of([undefined, undefined, scarce(draw)]);
  if (installation === undefined && key === undefined) return undefined;
  return {
    ...(installation === undefined ? {} : { installation }),
    ...(key === undefined ? {} : { key }),
  };
}

const plenty = { maxTokens: 10_000_000, maxUsd: 1000, maxCalls: 100_000 } as const;

function scarce(draw: Draw) {
  return draw.chance(0.5)
    ? { maxTokens: draw.between(300, 6000), maxUsd: "unlimited" as const }
    : { maxCalls: draw.between(2, 30) };
}
