/**
 * A whole installation around one fake provider: real store, real HTTP, real processes. What tests of more than one package share.
 *
 * Whatever it started is gone after `close`, and `close` fails when it is not, or when the books of a run that has ended do
 * not add up.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BridleConfig, GuardsConfig } from "@bridle/agent";
import { createClient, readLog } from "@bridle/client";
import type { Client } from "@bridle/client";
import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeProvider, FakeScript, ModelCounters } from "@bridle/fake-agents/fake-llm";
import { openInstallation, readEnvironment } from "@bridle/host";
import type { Hooks, Installation, InstallationOptions } from "@bridle/host";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { isTerminalRun } from "@bridle/protocol";
import type { RunView } from "@bridle/protocol";

import { fetchLedger, ledgerFaults } from "./audit-ledger.ts";
import { IsolateWatch } from "./isolate-watch.ts";

export interface WorldOptions {
  readonly agents: BridleConfig["agents"];
  /** Each is a model of the provider `fake` under the same name; `provider/model` names another provider at the same address. */
  readonly models?: readonly string[];
  /** Further models by name, each with its targets in order. */
  readonly chains?: Readonly<Record<string, readonly string[]>>;
  /** Which model stands in for which, by their names. */
  readonly cheaper?: Readonly<Record<string, string>>;
  readonly script?: FakeScript;
  /** Shipped defaults unless given. */
  readonly guards?: GuardsConfig;
  readonly config?: Pick<
    BridleConfig,
    "budget" | "limits" | "liveness" | "prices" | "cache" | "alerts"
  >;
  readonly hooks?: Hooks;
  /** Default: an embedded store in a folder of its own. */
  readonly storeUrl?: string;
  /** Another way to the same store, for the worker alone. */
  readonly workerStoreUrl?: string;
  /** Told the provider's port; calls go to the one it answers with. */
  readonly beforeProvider?: (port: number) => Promise<number>;
  /** The worker is an installation of its own on the same store, as in a process of its own. Not on an embedded store. */
  readonly isSplit?: boolean;
}

/** An entry of a run's log as the API gives it. */
export interface ApiEvent {
  readonly type: string;
  readonly seq: number;
  readonly at: number;
  readonly [member: string]: unknown;
}

export interface BridleWorld {
  readonly provider: FakeProvider;
  readonly client: Client;
  readonly installation: Installation;
  /** Processes of agents that this world has started. */
  readonly isolates: IsolateWatch;
  submit(spec: unknown, input?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Resolves with the run once it has ended. */
  ended(runId: string): Promise<RunView>;
  /** Resolves with the first entry of the run's log that is one. */
  sees(runId: string, isIt: (event: ApiEvent) => boolean): Promise<ApiEvent>;
  log(runId: string): Promise<readonly ApiEvent[]>;
  close(): Promise<void>;
}

/** US dollars per million tokens of every model here. */
export const price = { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 };

export async function openWorld(options: WorldOptions): Promise<BridleWorld> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-world-"));
  const provider = await startFakeProvider({ script: options.script });
  const isolates = new IsolateWatch();
  const providerUrl = new URL(provider.url);
  const port = await options.beforeProvider?.(Number(providerUrl.port));
  if (port !== undefined) providerUrl.port = String(port);
  const open = async (storeUrl = options.storeUrl): Promise<Installation> => {
    const installation = await openInstallation(
      installationOf(
        storeUrl === undefined ? options : { ...options, storeUrl },
        folder,
        providerUrl.href,
      ),
    );
    installation.bus.on("task.started", ({ pid }) => isolates.saw(pid));
    return installation;
  };
  const installation = await open();
  const running =
    options.isSplit === true
      ? [
          await installation.start(["server", "scheduler"]),
          await open(options.workerStoreUrl).then(async (other) => other.start(["worker"])),
        ]
      : [await installation.start(["server", "scheduler", "worker"])];
  const client = createClient({
    url: running[0]?.url ?? "",
    apiKey: installation.localToken,
    fetch,
    clock: systemClock,
    random: systemRandom,
  });
  return {
    provider,
    client,
    installation,
    isolates,
    ...reading(client),
    submit: async (spec, input = {}) => (await client.submit(spec, input)).runId,
    close: async () => {
      const faults = await auditRuns(client, options.guards?.budget?.mode ?? "enforce");
      // oxlint-disable-next-line no-await-in-loop -- the worker first
      for (const part of running.toReversed()) await part.stop();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
      const left = isolates.alive();
      if (left.length > 0) throw new Error(`Processes are left: ${left.join(", ")}`);
      if (faults.length > 0) throw new Error(`The books are wrong: ${faults.join("; ")}`);
    },
  };
}

/** Every run that has ended, recounted from its log. */
async function auditRuns(client: Client, budgetMode: string): Promise<readonly string[]> {
  const { runs } = await client.list({ limit: 200 });
  const ended = runs.filter(({ status }) => isTerminalRun(status));
  const faults = ended.map(async ({ runId }) => {
    const ledger = await fetchLedger(client, runId);
    const found = ledgerFaults({ ...ledger, isEnforced: budgetMode === "enforce" });
    return found.map((fault) => `${runId}: ${fault}`);
  });
  return (await Promise.all(faults)).flat();
}

function installationOf(
  options: WorldOptions,
  folder: string,
  providerUrl: string,
): InstallationOptions {
  const { storeUrl = `pglite:${join(folder, "data")}`, guards, hooks } = options;
  return {
    environment: readEnvironment({
      BRIDLE_STORE_URL: storeUrl,
      BRIDLE_DATA_DIR: join(folder, "data"),
      BRIDLE_SHUTDOWN_MS: "15000",
      PORT: "0",
      LOG_LEVEL: "error",
    }),
    folder,
    config: {
      ...options.config,
      ...modelsAt(providerUrl, options),
      agents: options.agents,
      ...(guards === undefined ? {} : { guards }),
    },
    env: { PATH: process.env["PATH"] },
    hooks,
  };
}

function modelsAt(
  url: string,
  { models = [], chains = {}, cheaper = {} }: WorldOptions,
): Pick<BridleConfig, "providers" | "models"> {
  const single = models.map((name) => (name.includes("/") ? name : `fake/${name}`));
  const targets = [...single, ...Object.values(chains).flat()];
  const provider = {
    kind: "openai-compatible",
    baseUrl: url,
    profiles: [{ apiKey: "not-a-secret" }],
  } as const;
  const named = [
    ...single.map((target): [string, readonly string[]] => [target.split("/")[1] ?? "", [target]]),
    ...Object.entries(chains),
  ];
  return {
    providers: Object.fromEntries(targets.map((target) => [target.split("/")[0], provider])),
    models: Object.fromEntries(
      named.map(([name, chain]) => [name, { chain, price, cheaper: cheaper[name] }]),
    ),
  };
}

function reading(client: Client): Pick<BridleWorld, "ended" | "sees" | "log"> {
  const sees: BridleWorld["sees"] = async (runId, isIt) => {
    for await (const { event, seq, data } of client.follow(runId, { afterSeq: 0 })) {
      const entry = { ...data, type: event, seq: seq ?? 0, at: Number(data["at"]) };
      if (seq !== undefined && isIt(entry)) return entry;
    }
    throw new Error(`Run ${runId} ended without it.`);
  };
  return {
    sees,
    ended: async (runId) => {
      await sees(runId, ({ type }) => type === "run.finished");
      return client.get(runId);
    },
    log: async (runId) => readLog(client, runId),
  };
}

/** What the provider counted for one model. */
export function countedFor({ provider }: BridleWorld, model: string): ModelCounters {
  const nothing = { requests: 0, promptTokens: 0, completionTokens: 0 };
  return provider.counters().byModel[model] ?? nothing;
}

/** The status of each task of a run. */
export function statuses({ tasks }: RunView): Readonly<Record<string, string>> {
  return Object.fromEntries(tasks.map(({ id, status }) => [id, status]));
}
