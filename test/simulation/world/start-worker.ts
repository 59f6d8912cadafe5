import { BreakerSet } from "@bridle/breaker";
import { createBus } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import type { Random } from "@bridle/kernel";
import { sequenceIds } from "@bridle/kernel/testing";
import { createModelCaller } from "@bridle/llm";
import type { FleetEvent } from "@bridle/protocol";
import { createLocalScanner, createRunner } from "@bridle/runner";

import type { Scenario } from "../scenario/scenario.ts";
import { castFor } from "./cast.ts";
import type { CastOptions } from "./cast.ts";
import type { Running, Surroundings } from "./process.ts";
import type { Provider } from "./provider.ts";

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
  const { clock, bootId, agentClock } = actor;
  const bus = createBus({ onHandlerError: onFault });
  followBreakers(bus, surroundings.openBreakers);
  const settings = surroundings.breakers === "touchy" ? touchy : {};
  const emit = (event: FleetEvent): void => bus.emit(event);
  const breakers = new BreakerSet({ clock, random, settings, bootId, emit });
  const runner = createRunner({
    store,
    queue,
    agents: castFor({ clock: agentClock, onEffect, onTick, onKill }),
    models: createModelCaller({ models: provider.catalogFor(actor), clock, random }),
    breakers,
    scanner: (callbacks) =>
      createLocalScanner({ ...callbacks, clock, slots, onHandlerError: onFault }),
    bus,
    clock,
    ids: idsOf(bootId),
    workerId: actor.name,
    bootId,
    environment: {},
    resolveSecret: async ({ name }) => name,
    onLine: () => {},
  });
  await runner.start();
  return {
    stop: async () => {
      await runner.stop(1000);
      breakers.close();
    },
    leftovers: () => [
      ...(runner.state.active > 0 ? [`${bootId} has ${runner.state.active} attempts`] : []),
      ...(runner.state.openCalls > 0 ? [`${bootId} has ${runner.state.openCalls} calls`] : []),
      ...breakers
        .view()
        .filter(({ inFlight }) => inFlight > 0)
        .map(({ key, inFlight }) => `${bootId} holds ${inFlight} permits of ${key}`),
    ],
  };
}

function followBreakers(bus: Bus, open: Set<string>): void {
  bus.on("breaker.open", ({ key }) => void open.add(key));
  bus.on("breaker.half_open", ({ key }) => void open.delete(key));
  bus.on("breaker.close", ({ key }) => void open.delete(key));
}

/** Ids of one start of one process: no two of the world are the same. */
function idsOf(bootId: string): ReturnType<typeof sequenceIds> {
  const ids = sequenceIds();
  return { next: (prefix) => `${ids.next(prefix)}_${bootId}` };
}
