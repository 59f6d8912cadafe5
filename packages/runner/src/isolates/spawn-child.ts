import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { entryPath } from "./entry-path.ts";

/**
 * The lifeline: a second process of the child's group blocks on descriptor 4, which this process holds and never writes. When
 * this process dies, by whatever means, the read ends and the group is killed — also while the child spins or blocks (measured
 * 5 ms). It holds the group's number until then, and none of the child's own pipes.
 */
const lifeline =
  '{ trap "" TERM INT HUP; read _ <&4; kill -9 0; } >/dev/null 2>&1 3<&- & exec 4<&-; exec "$@"';

export interface SpawnOptions {
  /** `file:` URL of the agent's module. */
  readonly module: string;
  readonly agent: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Descriptors: 0 nothing, 1 and 2 captured, 3 the frames, 4 the lifeline. */
export function spawnChild(options: SpawnOptions): ChildProcess {
  const entry = entryPath(import.meta.url, "../child/main.js");
  const command = [
    process.execPath,
    ...loaderFlags(options.module),
    entry,
    options.module,
    options.agent,
    options.folder,
  ];
  return spawn("/bin/sh", ["-c", lifeline, "sh", ...command], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    env: { ...options.environment },
  });
}

/** Node strips types itself from 22.18 on; before that tsx does (+100 ms per start, measured). */
function loaderFlags(module: string): readonly string[] {
  if (!/\.[cm]?ts$/.test(module) || hasTypeStripping()) return [];
  const require = createRequire(import.meta.url);
  return ["--import", pathToFileURL(require.resolve("tsx")).href];
}

function hasTypeStripping(): boolean {
  const { typescript } = process.features as { readonly typescript?: string | false };
  return typeof typescript === "string";
}
