import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Clock, Ids } from "@bridle/kernel";

import { faultSentence } from "./fault-sentence.ts";
import { isolateEnvironment, isolateVariable } from "./isolate-environment.ts";
import type { IsolateRecords } from "./isolate-records.ts";
import type { IsolateSettings } from "./isolate-settings.ts";
import type { IsolateEnd } from "./isolate.ts";
import { ProcessIsolate } from "./process-isolate.ts";
import { sourcePlace } from "./source-place.ts";
import { spawnChild } from "./spawn-child.ts";

export interface StartOptions {
  readonly agent: { readonly name: string; readonly module: string };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: IsolateSettings;
  readonly records: IsolateRecords;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export type StartAnswer =
  | { readonly ok: true; readonly isolate: ProcessIsolate }
  | { readonly ok: false; readonly reason: string };

/** Spawns a child and waits until it has loaded the agent. A failed start leaves nothing behind. */
export async function startProcessIsolate(options: StartOptions): Promise<StartAnswer> {
  const { agent, ids, settings, records } = options;
  const token = ids.next("iso");
  const environmentEntry = `${isolateVariable}=${token}`;
  const folder = mkdtempSync(join(tmpdir(), "bridle-"));
  const child = spawnChild({
    module: agent.module,
    agent: agent.name,
    folder,
    environment: isolateEnvironment({
      base: options.environment,
      allow: settings.allowEnvironment,
      token,
    }),
  });
  const { pid } = child;
  if (pid !== undefined) records.add(pid, { environmentEntry, folder });
  const isolate = new ProcessIsolate({ child, folder, environmentEntry });
  child.once("close", () => {
    if (pid !== undefined) records.remove(pid);
    rmSync(folder, { recursive: true, force: true });
  });
  const reason = await untilReady(isolate, options);
  if (reason === undefined) {
    isolate.ready();
    return { ok: true, isolate };
  }
  await isolate.reclaim();
  return { ok: false, reason };
}

/** Undefined once it is ready, or why it is not. */
async function untilReady(
  isolate: ProcessIsolate,
  { clock, settings }: StartOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const settle = (reason: string | undefined): void => {
      timer.cancel();
      isolate.listen(undefined);
      resolve(reason);
    };
    const timer = clock.setTimer(settings.startMs, () =>
      settle(`It did not become ready within ${settings.startMs} ms.`),
    );
    isolate.listen({
      onMessage: (message) => {
        if (message.type === "ready") settle(undefined);
      },
      onLine: () => {},
      onEnd: (end) => settle(describeFailedStart(end)),
    });
  });
}

/** What a person needs to fix it: the file and line first, then Node's own words. */
function describeFailedStart({ exitCode, signal, fault, stderrTail }: IsolateEnd): string {
  const how = signal ?? (exitCode === undefined ? (fault ?? "unknown") : `exit code ${exitCode}`);
  const place = sourcePlace(stderrTail);
  const sentence = faultSentence(stderrTail);
  return [place, sentence ?? stderrTail.trim().slice(-500), `(${how})`]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}
