/**
 * One process of Bridle: opens what its parts share.
 *
 * 1. The store's thread is started before anything else: opening takes longest. Code loads meanwhile, and the
 *    configuration, once there is code, since a TypeScript loader slows every import behind it.
 * 2. A start that fails closes what it had opened and says one sentence. Faults of the configuration are told at once: they
 *    are the reader's to mend, and the store needs a second or two before it can be closed.
 */
import type { BridleConfig } from "@bridle/agent";
import { createBus } from "@bridle/bus";
import type { Bus } from "@bridle/bus";
import { systemClock, systemIds } from "@bridle/kernel/system";
import type { Logger, Store, TaskQueue } from "@bridle/ports";

import { ensureInstallToken } from "../access/install-token.ts";
import { readKeys } from "../access/key-file.ts";
import { openBackends } from "../backends/open-backends.ts";
import type { Backends, BackendsOptions } from "../backends/open-backends.ts";
import { checkConfig } from "../config/check-config.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/load-config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { createSecrets } from "../models/secrets.ts";
import { openLog } from "./open-log.ts";
import type { OpenLog } from "./open-log.ts";
import type { Parts } from "./parts.ts";
import { pauseAfterPowerLoss } from "./pause-after-power-loss.ts";
import { preloadParts, startParts } from "./start-parts.ts";
import type { PartName, RunningParts, StartOptions } from "./start-parts.ts";

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
  /** Parts that will be started: their code is loaded while the store opens. */
  readonly preload?: readonly PartName[] | undefined;
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
  /** Rejects with what kept a part from starting; then nothing is running and the installation is closed. */
  start(
    parts: readonly PartName[],
    onListening?: StartOptions["onListening"],
  ): Promise<RunningParts>;
  /** For when nothing was started; `RunningParts.stop` closes the installation too. */
  close(): Promise<void>;
}

const version = "0.1.0";

export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { environment, folder, configPath, hooks = {} } = options;
  const opening = openLog(environment.logLevel);
  const { log } = opening;
  const onError = (error: unknown): void => log.warn("connection error", { error });
  const [backends, begun] = beginBackends({
    storeUrl: environment.storeUrl,
    queueUrl: environment.queueUrl,
    clock: systemClock,
    wakeUps: hooks.wakeUps,
    onError,
  });
  const codeLoaded = begun.then(async () => preloadParts(options.preload ?? []));
  const loading =
    options.config === undefined
      ? loadConfig(folder, configPath ?? environment.configPath, codeLoaded)
      : givenConfig(options.config);
  const [loaded, opened] = await bothOrNeither(loading, backends);
  try {
    return await assemble(options, opening, loaded, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The backends, and when they have begun to open or have failed before. */
function beginBackends(options: BackendsOptions): readonly [Promise<Backends>, Promise<void>] {
  let begin: (() => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const backends = openBackends({ ...options, whileOpening: () => begin?.() });
  // What it failed of is told where it is awaited; a configuration that fails first must not leave it unheard.
  backends.catch(() => begin?.());
  return [backends, begun];
}

async function givenConfig(config: BridleConfig): Promise<LoadedConfig> {
  return { config: checkConfig(config, "The configuration"), path: undefined };
}

async function bothOrNeither(
  loading: Promise<LoadedConfig>,
  opening: Promise<Backends>,
): Promise<readonly [LoadedConfig, Backends]> {
  let loaded: LoadedConfig;
  try {
    loaded = await loading;
  } catch (error) {
    // What keeps the store from opening is of no interest any more.
    void opening.then(async (opened) => opened.close()).catch(() => undefined);
    throw error;
  }
  return [loaded, await opening];
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
    redact: (value) => open.redact(value),
    bootId: systemIds.next("boot"),
    installToken,
    usesKeys: keys.length > 0,
    version,
    durability: backends.durability,
  };
  await heedPowerLoss(parts, backends);
  return {
    loaded,
    environment,
    store,
    queue,
    bus,
    log,
    durability: parts.durability,
    usesKeys: parts.usesKeys,
    localToken: installToken,
    start: async (names, onListening) =>
      startParts(parts, { names, onListening, closeBackends: () => backends.close() }),
    close: () => backends.close(),
  };
}

async function heedPowerLoss({ store, clock, log }: Parts, { lostPower }: Backends): Promise<void> {
  if (!lostPower) return;
  const paused = await pauseAfterPowerLoss(store, clock.wallMs());
  log.warn("runs paused after power loss", { paused });
}
