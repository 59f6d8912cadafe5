import { hostname } from "node:os";

import { BreakerSet } from "@bridle/breaker";
import { systemIds, systemRandom } from "@bridle/kernel/system";
import { loadPriceList } from "@bridle/llm-providers";
import type { Logger } from "@bridle/ports";
import { createRunner, createScanner, llmAgent, mostAttempts } from "@bridle/runner";
import type { AgentLine, Runner, RunnerOptions } from "@bridle/runner";
import { countStopTimes, stopBucketsMs } from "@bridle/telemetry";
import type { StopTimes } from "@bridle/telemetry";

import { readPricesFile } from "../config/read-prices-file.ts";
import { openModels } from "../models/open-models.ts";
import { resolvePrices } from "../models/resolve-prices.ts";
import type { TargetPrice } from "../models/resolve-prices.ts";
import { OperatorOrders } from "./operator-orders.ts";
import type { Parts } from "./parts.ts";
import { breakerOptions, runnerSettings } from "./worker-settings.ts";

export interface StartedWorker {
  /** Its lease holds and it takes work. */
  readonly isReady: boolean;
  /** For when the start is over: loads what the first task will need. */
  warm(): void;
  /** Resolves, with the reason, when this process should be stopped in order and started anew (WD-13). */
  readonly retired: Promise<string>;
  stop(): Promise<void>;
}

/** Cancel and force of what did not end by itself, and the last finish. */
const endingMs = 12_000;

/** Rejects when the store does not answer; then nothing is running. */
export async function startWorker(parts: Parts): Promise<StartedWorker> {
  const { config, secrets, clock, bus, environment } = parts;
  const {
    models,
    warm,
    close: closeModels,
  } = openModels({
    config,
    prices: await pricesOf(parts),
    secrets,
    clock,
    random: systemRandom,
    env: parts.env,
  });
  const breakers = openBreakers(parts);
  const log = parts.log.child({ part: "breakers" });
  const orders = new OperatorOrders({
    fleet: parts.store.fleet,
    breakers,
    clock,
    pollMs: config.liveness.pollMs,
    onError: (error) => log.error("order not carried out", { error }),
  });
  const { retired, onRetire } = retirement(parts.log);
  const stopTimes = countStopTimes(bus);
  const runner = assembleRunner(parts, { models, breakers, onRetire });
  const stop = async (): Promise<void> => {
    await orders.close();
    await runner.stop(Math.max(0, environment.shutdownMs - endingMs));
    breakers.close();
    await closeModels();
    tellStopTimes(parts.log, stopTimes);
  };
  try {
    await orders.start();
    await runner.start();
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  return {
    get isReady() {
      return runner.state.isLive && !runner.state.isDraining;
    },
    warm,
    retired,
    stop,
  };
}

/** What is asked and what it costs stands in the log, once: a default that is in use, and a target nobody can be sent to (B133). */
async function pricesOf({
  config,
  environment,
  clock,
  log,
}: Parts): Promise<readonly TargetPrice[]> {
  const { pricesPath } = environment;
  const file = pricesPath === undefined ? undefined : await readPricesFile(pricesPath);
  const atMs = clock.wallMs();
  const prices = await resolvePrices({ config, file, loadList: loadPriceList, atMs });
  for (const { model, target, source } of prices) {
    if (source === "default") log.warn("default price in use", { model, target });
    if (source === undefined) log.warn("model without a price is refused", { model, target });
  }
  return prices;
}

function openBreakers({ clock, bus, bootId, config }: Parts): BreakerSet {
  return new BreakerSet({
    clock,
    random: systemRandom,
    bootId,
    emit: (event) => bus.emit(event),
    ...breakerOptions(config),
  });
}

function retirement(log: Logger): {
  readonly retired: Promise<string>;
  readonly onRetire: (reason: string) => void;
} {
  let resolveRetired: ((reason: string) => void) | undefined;
  const retired = new Promise<string>((resolve) => {
    resolveRetired = resolve;
  });
  const onRetire = (reason: string): void => {
    log.error("worker retires", { reason });
    resolveRetired?.(reason);
  };
  return { retired, onRetire };
}

/** One line per isolation, when there was anything to stop. */
function tellStopTimes(log: Logger, stopTimes: StopTimes): void {
  stopTimes.close();
  for (const { buckets, ...figures } of stopTimes.select()) {
    const within = Object.fromEntries(
      stopBucketsMs.map((ms, index) => [`${ms}ms`, buckets[index]]),
    );
    log.info("time to stop", { ...figures, within });
  }
}

function assembleRunner(
  parts: Parts,
  guards: Pick<RunnerOptions, "models" | "breakers" | "onRetire">,
): Runner {
  const { store, queue, bus, clock, config, environment, secrets } = parts;
  const agents = config.agents.map((agent) =>
    environment.concurrency === undefined
      ? agent
      : Object.assign({}, agent, { concurrency: environment.concurrency }),
  );
  const slots = mostAttempts([...agents, llmAgent]);
  const { mode } = config.guards?.watchdog ?? {};
  const agentLog = parts.log.child({ part: "agent" });
  return createRunner({
    ...guards,
    store,
    queue,
    agents,
    bus,
    clock,
    ids: systemIds,
    workerId: `${hostname()}.${process.pid}`,
    bootId: parts.bootId,
    scanner: (callbacks) => createScanner({ clock, slots, mode, ...callbacks }),
    settings: runnerSettings(config),
    stateFolder: environment.dataDir,
    environment: parts.env,
    resolveSecret: async (reference) => secrets.resolve(reference),
    onLine: (line) => logLine(agentLog, line),
  });
}

/** What agents say goes to the process's log, under their run: they have no other voice there. */
function logLine(log: Logger, { level, message, ...rest }: AgentLine): void {
  log[level]("agent line", { line: message, ...rest });
}
