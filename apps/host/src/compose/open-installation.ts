/**
 * One process of Bridle: opens what its parts share, starts the parts asked for, stops them in order.
 *
 * 1. Configuration, store and code load side by side: the embedded store takes most of a start.
 * 2. Start: store, scheduler, worker, then the door. Stop: the door first (no new work), then the worker (its tasks end or
 *    are given back), the scheduler (its commits are finished), the store last.
 * 3. A start that fails closes what it had opened, and says one sentence.
 */
import type { BridleConfig } from "@bridle/agent";
import { createBus, bridgeToFleetLog } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import { systemClock, systemIds } from "@bridle/kernel/system";
import type { Logger, Store, TaskQueue } from "@bridle/ports";
import type { PartState } from "@bridle/server";

import { ensureInstallToken } from "../access/install-token.ts";
import { readKeys } from "../access/key-file.ts";
import { openBackends } from "../backends/open-backends.ts";
import type { Backends } from "../backends/open-backends.ts";
import { checkConfig } from "../config/check-config.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { createSecrets } from "../models/secrets.ts";
import { openLog } from "./open-log.ts";
import type { OpenLog } from "./open-log.ts";
import type { Parts } from "./parts.ts";
import { pauseAfterPowerLoss } from "./pause-after-power-loss.ts";
import { StopList } from "./stop-list.ts";

export type PartName = "server" | "scheduler" | "worker";

/** Seams for tests that inject faults; production passes none. */
export interface Hooks {
  readonly wrapStore?: ((store: Store) => Store) | undefined;
  readonly wrapQueue?: ((queue: TaskQueue) => TaskQueue) | undefined;
  /** False: no notification is delivered anywhere; everything is found by polling. */
  readonly wakeUps?: boolean | undefined;
}

export interface InstallationOptions {
  readonly environment: Environment;
  /** Where the configuration is looked for. */
  readonly folder: string;
  readonly configPath?: string | undefined;
  /** A configuration made in code, in place of a file. */
  readonly config?: BridleConfig | undefined;
  /** Variables that `env('X')` of the configuration may name. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hooks?: Hooks | undefined;
}

export interface RunningParts {
  /** Where the server listens, when there is one. */
  readonly url: string | undefined;
  /** Takes at most the configured shutdown time; never rejects. */
  stop(): Promise<void>;
}

export interface Installation {
  readonly loaded: LoadedConfig;
  readonly environment: Environment;
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly bus: Bus;
  readonly log: Logger;
  readonly durability: string;
  readonly usesKeys: boolean;
  /** The install token: with it this machine may use the API while there are no keys. */
  readonly localToken: string;
  start(parts: readonly PartName[]): Promise<RunningParts>;
  /** For when nothing was started; `RunningParts.stop` closes the installation too. */
  close(): Promise<void>;
}

const version = "0.1.0";

export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { environment, folder, configPath, hooks = {} } = options;
  const opening = openLog(environment.logLevel);
  const { log } = opening;
  const onError = (error: unknown): void => log.warn("connection error", { error });
  const backends = openBackends({
    storeUrl: environment.storeUrl,
    queueUrl: environment.queueUrl,
    clock: systemClock,
    wakeUps: hooks.wakeUps,
    onError,
  });
  const loading =
    options.config === undefined
      ? loadConfig(folder, configPath ?? environment.configPath)
      : givenConfig(options.config);
  const [loaded, opened] = await bothOrNeither(loading, backends);
  try {
    return await assemble(options, opening, loaded, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function givenConfig(config: BridleConfig): Promise<LoadedConfig> {
  return { config: checkConfig(config, "The configuration"), path: undefined };
}

/** The configuration's faults are told first: they are the reader's to mend. */
async function bothOrNeither(
  loading: Promise<LoadedConfig>,
  opening: Promise<Backends>,
): Promise<readonly [LoadedConfig, Backends]> {
  const [loaded, opened] = await Promise.allSettled([loading, opening]);
  if (loaded.status === "fulfilled" && opened.status === "fulfilled") {
    return [loaded.value, opened.value];
  }
  if (opened.status === "fulfilled") await opened.value.close();
  throw loaded.status === "rejected" ? loaded.reason : (opened as PromiseRejectedResult).reason;
}

// oxlint-disable-next-line max-params -- what was opened side by side
async function assemble(
  { environment, hooks = {}, env }: InstallationOptions,
  open: OpenLog,
  loaded: LoadedConfig,
  backends: Backends,
): Promise<Installation> {
  const { log } = open;
  const store = hooks.wrapStore?.(backends.store) ?? backends.store;
  const queue = hooks.wrapQueue?.(backends.queue) ?? backends.queue;
  const bus = createBus({
    onHandlerError: ({ type, error }) => log.error("subscriber failed", { type, error }),
  });
  open.listen(bus);
  const [installToken, keys] = await Promise.all([
    ensureInstallToken(environment.dataDir),
    readKeys(environment.dataDir),
  ]);
  const parts: Parts = {
    environment,
    config: loaded.config,
    env,
    secrets: createSecrets({ env, onSecret: (value) => open.hide(value) }),
    store,
    queue,
    bus,
    clock: systemClock,
    log,
    bootId: systemIds.next("boot"),
    installToken,
    usesKeys: keys.length > 0,
    version,
  };
  if (backends.lostPower) {
    const paused = await pauseAfterPowerLoss(store, systemClock.wallMs());
    log.warn("runs paused after power loss", { paused });
  }
  return {
    loaded,
    environment,
    store,
    queue,
    bus,
    log,
    durability: backends.durability,
    usesKeys: parts.usesKeys,
    localToken: installToken,
    start: async (names) => startParts(parts, names, () => backends.close()),
    close: () => backends.close(),
  };
}

async function startParts(
  parts: Parts,
  names: readonly PartName[],
  closeBackends: () => Promise<void>,
): Promise<RunningParts> {
  const { clock, log, environment, bus, store } = parts;
  const stops = new StopList(clock, (part, error) => log.error("stop failed", { part, error }));
  const states: (() => PartState)[] = [];
  stops.add("store", closeBackends);
  const bridge = bridgeToFleetLog({ bus, fleet: store.fleet, clock });
  stops.add("fleet log", () => bridge.close());
  try {
    if (names.includes("scheduler")) states.push(await addScheduler(parts, stops));
    if (names.includes("worker")) states.push(await addWorker(parts, stops));
    const url = names.includes("server") ? await addServer(parts, stops, states) : undefined;
    return { url, stop: () => stops.stopAll(environment.shutdownMs) };
  } catch (error) {
    await stops.stopAll(environment.shutdownMs);
    throw error;
  }
}

async function addScheduler(parts: Parts, stops: StopList): Promise<() => PartState> {
  const { startScheduler } = await import("./start-scheduler.ts");
  const scheduler = await startScheduler(parts);
  let isRunning = true;
  stops.add("scheduler", async () => {
    isRunning = false;
    await scheduler.stop();
  });
  // Standing by is as good as leading: another one works.
  return () => ({ name: "scheduler", isAlive: true, isReady: isRunning });
}

async function addWorker(parts: Parts, stops: StopList): Promise<() => PartState> {
  const { startWorker } = await import("./start-worker.ts");
  const worker = await startWorker(parts);
  stops.add("worker", () => worker.stop());
  return () => ({ name: "worker", isAlive: true, isReady: worker.isReady });
}

async function addServer(
  parts: Parts,
  stops: StopList,
  states: readonly (() => PartState)[],
): Promise<string> {
  const { startServer } = await import("./start-server.ts");
  const server = await startServer(parts, () => states.map((state) => state()));
  stops.add("server", () => server.stop());
  return server.url;
}
