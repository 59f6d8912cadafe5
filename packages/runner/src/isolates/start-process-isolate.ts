import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Clock, Ids } from "@bridle/kernel";

import { isolateEnvironment, isolateVariable } from "./isolate-environment.ts";
import type { StartAnswer } from "./isolate-pool.ts";
import type { IsolateRecords } from "./isolate-records.ts";
import type { IsolateSettings } from "./isolate-settings.ts";
import type { NamespacePrefix } from "./pid-namespace.ts";
import { ProcessIsolate } from "./process-isolate.ts";
import { spawnChild } from "./spawn-child.ts";
import { untilReady } from "./until-ready.ts";

export interface StartOptions {
  readonly agent: { readonly name: string; readonly module: string };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: IsolateSettings;
  readonly records: IsolateRecords;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Resolves with how to get a PID namespace, or undefined for none. */
  readonly namespace: () => Promise<NamespacePrefix | undefined>;
}

/** Spawns a child and waits until it has loaded the agent. A failed start leaves nothing behind. */
export async function startProcessIsolate(options: StartOptions): Promise<StartAnswer> {
  const { agent, ids, settings, records } = options;
  const namespace = await options.namespace();
  const token = ids.next("iso");
  const environmentEntry = `${isolateVariable}=${token}`;
  const folder = mkdtempSync(join(tmpdir(), "bridle-"));
  const child = spawnChild({
    module: agent.module,
    agent: agent.name,
    folder,
    openFiles: settings.openFiles,
    namespace,
    environment: isolateEnvironment({
      base: options.environment,
      allow: settings.allowEnvironment,
      token,
    }),
  });
  const { pid } = child;
  if (pid !== undefined) records.add(pid, { environmentEntry, folder });
  const isolate = new ProcessIsolate({
    child,
    folder,
    environmentEntry,
    hasNamespace: namespace !== undefined,
  });
  child.once("close", () => {
    if (pid !== undefined) records.remove(pid);
    rmSync(folder, { recursive: true, force: true });
  });
  const reason = await untilReady(isolate, { clock: options.clock, startMs: settings.startMs });
  if (reason === undefined) {
    isolate.ready();
    return { ok: true, isolate };
  }
  await isolate.reclaim();
  return { ok: false, reason };
}
