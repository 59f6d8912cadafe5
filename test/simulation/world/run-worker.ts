/** The product's worker in one process of a world: guards, runner and local scanner on the process's clock. */
import type { AnyAgent } from "@bridle/agent";
import { BreakerSet } from "@bridle/breaker";
import type { BreakerSetOptions } from "@bridle/breaker";
import { createBus } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import type { Random } from "@bridle/kernel";
import { sequenceIds } from "@bridle/kernel/testing";
import type { ModelCaller } from "@bridle/ports";
import type { FleetEvent } from "@bridle/protocol";
import { createLocalScanner, createRunner } from "@bridle/runner";
import type { LocalScannerOptions, RunnerSettingsInput } from "@bridle/runner";

import type { Running, Surroundings } from "./process.ts";

export interface WorkerSetup {
  readonly agents: readonly AnyAgent[];
  readonly models: ModelCaller;
  /** Of the breakers. */
  readonly random: Random;
  /** Most attempts that are watched at a time. */
  readonly slots: number;
  readonly breakers?: Pick<BreakerSetOptions, "settings" | "mode">;
  readonly scannerMode?: LocalScannerOptions["mode"] | undefined;
  readonly settings?: RunnerSettingsInput;
  /** Hears this worker's fleet events from the first one on. */
  readonly listen?: (bus: Bus) => void;
}

export async function runWorker(
  { actor, store, queue, onFault }: Surroundings,
  { agents, models, random, slots, breakers: breakerOptions, ...setup }: WorkerSetup,
): Promise<Running> {
  const { clock, bootId } = actor;
  const bus = createBus({ onHandlerError: onFault });
  setup.listen?.(bus);
  const emit = (event: FleetEvent): void => bus.emit(event);
  const breakers = new BreakerSet({ ...breakerOptions, clock, random, bootId, emit });
  const mode = setup.scannerMode;
  const runner = createRunner({
    store,
    queue,
    agents,
    models,
    breakers,
    scanner: (callbacks) =>
      createLocalScanner({ ...callbacks, clock, slots, mode, onHandlerError: onFault }),
    bus,
    clock,
    ids: idsOf(bootId),
    workerId: actor.name,
    bootId,
    settings: setup.settings,
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

/** Ids of one start of one process: no two of the world are the same. */
function idsOf(bootId: string): ReturnType<typeof sequenceIds> {
  const ids = sequenceIds();
  return { next: (prefix) => `${ids.next(prefix)}_${bootId}` };
}
