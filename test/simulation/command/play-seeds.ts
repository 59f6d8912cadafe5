import { generateScenario } from "../scenario/generate-scenario.ts";
import { simulateTwice } from "../simulate.ts";
import type { Outcome } from "../world/world.ts";
import { addTallies, nothing } from "./tally.ts";
import type { Tally } from "./tally.ts";

/** Seeds in a row, played by one process before it is asked for the next. */
export interface Block {
  readonly from: number;
  readonly seeds: number;
  readonly keepGoing: boolean;
}

/** The play of the seed in hand fails with what nobody caught: a world is of the process's own code, and nothing else runs. */
let onUncaught: ((error: unknown) => void) | undefined;

/** For the process's `uncaughtException`, which `unhandledRejection` is as well. */
export function uncaughtInSeed(error: unknown): void {
  onUncaught?.(error);
}

/** Each twice, until all are played or, unless it keeps going, one has failed. */
export async function playSeeds({ from, seeds, keepGoing }: Block): Promise<Tally> {
  const before = process.cpuUsage();
  let tally = nothing;
  for (let seed = from; seed < from + seeds; seed++) {
    // oxlint-disable-next-line no-await-in-loop -- a process plays one world at a time
    tally = addTallies(tally, await playSeed(seed));
    if (tally.failures.length > 0 && !keepGoing) break;
  }
  const { user, system } = process.cpuUsage(before);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  return { ...tally, cpuMs: (user + system) / 1000, peakRssBytes };
}

async function playSeed(seed: number): Promise<Tally> {
  const uncaught = new Promise<Outcome | string>((resolve) => {
    onUncaught = (error) => resolve(describe(error));
  });
  const outcome = await Promise.race([simulateTwice(generateScenario(seed)), uncaught]);
  if (typeof outcome === "string") {
    return {
      ...nothing,
      seeds: 1,
      failures: [{ seed, invariant: uncaughtError, message: outcome }],
    };
  }
  const { breach, runs, events, wireCalls, simulatedMs } = outcome;
  const failures = breach === undefined ? [] : [{ seed, ...breach }];
  return { ...nothing, seeds: 1, runs, events, wireCalls, simulatedMs, failures };
}

/** Stands for an invariant: nothing of a world may throw where nobody catches. */
export const uncaughtError = "uncaughtError";

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
