import type { Bus } from "@bridle/bus";
import type { Random } from "@bridle/kernel";
import { createModelCaller } from "@bridle/llm";

import type { Scenario } from "../scenario/scenario.ts";
import { castFor } from "./cast.ts";
import type { CastOptions } from "./cast.ts";
import type { Running, Surroundings } from "./process.ts";
import type { Provider } from "./provider.ts";
import { runWorker } from "./run-worker.ts";

export interface WorkerSurroundings extends Surroundings, Omit<CastOptions, "clock"> {
  readonly provider: Provider;
  readonly random: Random;
  readonly breakers: Scenario["breakers"];
  /** Filled by this worker's breaker events, as anybody who listens would. */
  readonly openBreakers: Set<string>;
}

const slots = 32;
/** The first failure opens it; it is tried again before the world has ended. */
const touchy = { consecutiveFailures: 1, minRequestVolume: 4, cooldown: 4000, cooldownMax: 20_000 };

export async function startWorker(surroundings: WorkerSurroundings): Promise<Running> {
  const { actor, store, queue, provider, random, onFault } = surroundings;
  const { onEffect, onTick, onKill } = surroundings;
  const { clock, agentClock } = actor;
  return runWorker(
    { actor, store, queue, onFault },
    {
      agents: castFor({ clock: agentClock, onEffect, onTick, onKill }),
      models: createModelCaller({ models: provider.catalogFor(actor), clock, random }),
      random,
      slots,
      breakers: { settings: surroundings.breakers === "touchy" ? touchy : {} },
      listen: (bus) => followBreakers(bus, surroundings.openBreakers),
    },
  );
}

function followBreakers(bus: Bus, open: Set<string>): void {
  bus.on("breaker.open", ({ key }) => void open.add(key));
  bus.on("breaker.half_open", ({ key }) => void open.delete(key));
  bus.on("breaker.close", ({ key }) => void open.delete(key));
}
