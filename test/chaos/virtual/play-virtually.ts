import { impliedLimits, playScenario } from "@bridle/fake-agents/chaos";
import type { ChaosLimits, Evidence, Scenario } from "@bridle/fake-agents/chaos";

import { takeTurns } from "../../simulation/world/simulation-time.ts";
import { withAgentsOn } from "./agents-time.ts";
import { VirtualWorld } from "./virtual-world.ts";

export interface VirtualPlay {
  readonly scenario: Scenario;
  readonly evidence: Evidence;
}

export interface VirtualRound {
  readonly plays: readonly VirtualPlay[];
  /** What somebody still holds after the stop, in words. */
  readonly leftovers: readonly string[];
  /** Errors of the product that nothing explains. */
  readonly faults: readonly string[];
  /** Of virtual time. */
  readonly tookMs: number;
  /** Events of the world: timers, and calls on their way. */
  readonly events: number;
}

export interface VirtualRoundOptions {
  readonly seed: number;
  /** Played at the same time, in one installation. */
  readonly scenarios: readonly Scenario[];
  readonly limits: ChaosLimits;
}

/** After the stop, so that whatever would still come has come. */
const afterwardsMs = 60_000;

/** Far beyond every bound of every scenario. */
const longestMs = 1_800_000;

/**
 * Plays scenarios to their end, stops the installation, and looks once more a minute later. Rejects when they do not end: time has
 * nothing left to do, or half an hour of it has passed.
 */
export async function playVirtually(options: VirtualRoundOptions): Promise<VirtualRound> {
  const world = new VirtualWorld(options);
  const { time, agentClock } = world;
  return withAgentsOn(agentClock, async () => {
    let events = 0;
    let isTold = false;
    const telling = tell(world, options).finally(() => {
      isTold = true;
    });
    // Each event's consequences come before the next event.
    await takeTurns(() => {
      if (isTold || time.nowMs > longestMs || !time.step()) return false;
      events += 1;
      return true;
    });
    if (!isTold) throw new Error(`The scenarios did not end within ${time.nowMs} ms.`);
    return { ...(await telling), events };
  });
}

async function tell(
  world: VirtualWorld,
  { scenarios, limits }: VirtualRoundOptions,
): Promise<Omit<VirtualRound, "events">> {
  await world.start();
  const played = await Promise.all(
    scenarios.map(async (scenario) => ({
      scenario,
      early: await playScenario(world, scenario, { limits: impliedLimits(limits), guards: "on" }),
    })),
  );
  await world.stop();
  await world.time.sleep(afterwardsMs);
  const { open } = world.provider.counters();
  return {
    plays: played.map(({ scenario, early }) => ({
      scenario,
      evidence: {
        ...early,
        countedLater: world.counted(scenario.name),
        aliveLater: [],
        openLater: open,
      },
    })),
    leftovers: await world.leftovers(),
    faults: world.faults,
    tookMs: world.time.nowMs,
  };
}
