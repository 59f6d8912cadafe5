/**
 * Starts the parts of one process side by side, stops them in a fixed order.
 *
 * 1. The door opens at once: the store takes submits before a scheduler works on them. Ready it is when all parts are.
 * 2. Stop: the door first (no new work), then the worker (its tasks end or are given back), the scheduler (its commits are
 *    finished), the store last.
 * 3. When one part cannot start, the others are stopped again and its reason is what the caller gets.
 */
import { bridgeToFleetLog } from "@bridle/bus";
import type { PartState } from "@bridle/server";

import type { Parts } from "./parts.ts";
import { StopList } from "./stop-list.ts";

export type PartName = "server" | "scheduler" | "worker";

export interface RunningParts {
  /** Where the server listens, when there is one. */
  readonly url: string | undefined;
  /**
   * Resolves, with the reason, when this process cannot end what it started and should be stopped in order and started anew (WD-13). Never
   * resolves otherwise.
   */
  readonly retired: Promise<string>;
  /** Takes at most the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly names: readonly PartName[];
  readonly closeBackends: () => Promise<void>;
  /** Contract: called once, as soon as the server listens; must not throw. */
  readonly onListening?: ((url: string) => void) | undefined;
}

interface Started {
  readonly url?: string;
  readonly isReady: () => boolean;
  readonly isAlive: () => boolean;
  readonly warm?: () => void;
  readonly retired?: Promise<string>;
  readonly stop: () => Promise<void>;
}

/** The order in which parts are stopped, last first. */
const order: readonly PartName[] = ["scheduler", "worker", "server"];

/**
 * Loads the code of these parts ahead of their start, while the store opens in a thread of its own. Resolves when it is
 * loaded; what does not load is told by the start of its part.
 */
export async function preloadParts(names: readonly PartName[]): Promise<void> {
  await Promise.allSettled(names.map(async (name) => load[name]()));
}

const load = {
  scheduler: async () => import("./start-scheduler.ts"),
  worker: async () => import("./start-worker.ts"),
  server: async () => import("./start-server.ts"),
} as const;

export async function startParts(parts: Parts, options: StartOptions): Promise<RunningParts> {
  const { clock, log, environment, bus, store } = parts;
  const stops = new StopList(clock, (part, error) => log.error("stop failed", { part, error }));
  stops.add("store", options.closeBackends);
  const bridge = bridgeToFleetLog({ bus, fleet: store.fleet, clock });
  stops.add("fleet log", () => bridge.close());
  const stop = async (): Promise<void> => stops.stopAll(environment.shutdownMs);

  const names = order.filter((name) => options.names.includes(name));
  const started = new Map<PartName, Started>();
  const states = (): readonly PartState[] => names.map((name) => stateOf(name, started.get(name)));
  const starts = names.map(async (name) => {
    const part = await startPart(name, parts, states);
    started.set(name, part);
    if (part.url !== undefined) options.onListening?.(part.url);
  });
  const results = await Promise.allSettled(starts);
  for (const name of names) {
    const part = started.get(name);
    if (part !== undefined) stops.add(name, part.stop);
  }
  const failure = results.find((result) => result.status === "rejected");
  if (failure === undefined) {
    for (const part of started.values()) part.warm?.();
    const retired = started.get("worker")?.retired ?? new Promise<never>(() => undefined);
    return { url: started.get("server")?.url, retired, stop };
  }
  await stop();
  throw failure.reason;
}

function stateOf(name: PartName, part: Started | undefined): PartState {
  return { name, isAlive: part?.isAlive() ?? true, isReady: part?.isReady() ?? false };
}

async function startPart(
  name: PartName,
  parts: Parts,
  states: () => readonly PartState[],
): Promise<Started> {
  switch (name) {
    case "scheduler": {
      const { startScheduler } = await load.scheduler();
      const scheduler = await startScheduler(parts);
      // Standing by is as good as leading: another one works.
      const isAlive = (): boolean => scheduler.isAlive;
      const warm = (): void => scheduler.warm();
      return { isReady: () => true, isAlive, warm, stop: () => scheduler.stop() };
    }
    case "worker": {
      const { startWorker } = await load.worker();
      const worker = await startWorker(parts);
      const isReady = (): boolean => worker.isReady;
      const warm = (): void => worker.warm();
      const { retired } = worker;
      return { isReady, isAlive: () => true, warm, retired, stop: () => worker.stop() };
    }
    case "server": {
      const { startServer } = await load.server();
      const server = await startServer(parts, () => states().filter(isBackground));
      const { url } = server;
      return { url, isReady: () => true, isAlive: () => true, stop: () => server.stop() };
    }
  }
}

/** A server that answers needs no line about itself. */
function isBackground({ name }: PartState): boolean {
  return name !== "server";
}
