import { MessageChannel, Worker } from "node:worker_threads";

import type { Clock, Ids } from "@bridle/kernel";

import type { ThreadData } from "../child/thread-main.ts";
import { entryPath } from "./entry-path.ts";
import { isolateEnvironment, isolateVariable } from "./isolate-environment.ts";
import type { StartAnswer } from "./isolate-pool.ts";
import type { IsolateSettings } from "./isolate-settings.ts";
import { needsLoader } from "./loader-flags.ts";
import { ThreadIsolate } from "./thread-isolate.ts";
import type { ThreadIsolateOptions } from "./thread-isolate.ts";
import { untilReady } from "./until-ready.ts";

export interface StartThreadOptions {
  readonly agent: { readonly name: string; readonly module: string };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: IsolateSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onStuck: ThreadIsolateOptions["onStuck"];
}

const mebibyte = 1024 * 1024;

/**
 * Starts a thread and waits until it has loaded the agent. Its environment is a list of its own, as a process has; its heap has the
 * limit that a process's memory has. What lies outside the heap (buffers) is not limited.
 */
export async function startThreadIsolate(options: StartThreadOptions): Promise<StartAnswer> {
  const { agent, clock, ids, settings, onStuck } = options;
  const token = ids.next("iso");
  const { port1, port2 } = new MessageChannel();
  const heapMegabytes = Math.ceil(settings.memoryBytes / mebibyte);
  const data: ThreadData = {
    module: agent.module,
    agent: agent.name,
    stripsTypes: needsLoader(agent.module),
    port: port2,
  };
  const worker = new Worker(entryPath(import.meta.url, "../child/thread-main.js"), {
    workerData: data,
    transferList: [port2],
    env: isolateEnvironment({ base: options.environment, allow: settings.allowEnvironment, token }),
    // Its own: what this process was started with (inspectors, conditions, loaders) is not the agent's.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    stdout: true,
    stderr: true,
  });
  const environmentEntry = `${isolateVariable}=${token}`;
  const isolate = new ThreadIsolate({
    worker,
    port: port1,
    clock,
    environmentEntry,
    heapMegabytes,
    onStuck,
  });
  const reason = await untilReady(isolate, { clock, startMs: settings.startMs });
  if (reason === undefined) return { ok: true, isolate };
  await isolate.reclaim();
  return { ok: false, reason };
}
