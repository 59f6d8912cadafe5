/**
 * The time of the cast's agents while a world is played: `virtual-chaos.test.ts` puts this module in the place of their `pause.ts`.
 * One world at a time.
 */
import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import { vi } from "vitest";

let current: Clock | undefined;

/** In the place of `fake-agents/src/agents/pause.ts`. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  if (current === undefined) throw new Error("An agent waits while no world is played.");
  await sleep({ clock: current, ms, signal });
}

/** While `play` is underway agents wait by this clock, and `Date.now()` is its wall time. */
export async function withAgentsOn<Result>(
  clock: Clock,
  play: () => Promise<Result>,
): Promise<Result> {
  current = clock;
  const wall = vi.spyOn(Date, "now").mockImplementation(() => clock.wallMs());
  try {
    return await play();
  } finally {
    wall.mockRestore();
    current = undefined;
  }
}
