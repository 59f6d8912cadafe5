import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

import { entryPath } from "./entry-path.ts";
import { isolateVariable } from "./isolate-environment.ts";
import { loaderFlags } from "./loader-flags.ts";
import type { NamespacePrefix } from "./pid-namespace.ts";

/**
 * The lifeline: a second process of the child's group blocks on descriptor 4, which this process holds and never writes. When
 * this process dies, by whatever means, the read ends and the child is killed — also while it spins or blocks (measured 5 ms).
 * It holds the group's number until then, and none of the child's own pipes.
 *
 * Then whatever left the group (`setsid`, double forks) is found by the isolate's token and killed, round by round until three looks
 * in a row find none but the lifeline itself (one could fall between two lives of a program that starts itself anew), which goes last,
 * with its group. Where there is no `/proc` the group is all it can reach.
 */
const script = `{
trap "" TERM INT HUP
read _ <&4
kill -9 $$
rounds=0
quiet=0
if read me _ </proc/self/stat; then
  while [ $rounds -lt 50 ] && [ $quiet -lt 3 ]; do
    rounds=$((rounds + 1))
    quiet=$((quiet + 1))
    for file in $(grep -lsF "${isolateVariable}=$${isolateVariable}" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      pid=\${pid%/environ}
      if [ "$pid" != "$me" ] && kill -9 "$pid"; then quiet=0; fi
    done
  done
fi
kill -9 0
} >/dev/null 2>&1 3<&- &
exec 4<&-
{ ulimit -n "$0"; } 2>/dev/null || :
exec "$@"`;

/**
 * The same in a PID namespace, where it is short: what is not its first process ends by one signal, and the first then ends by itself,
 * which ends the lifeline. `unshare --kill-child` ends them all when it is killed from outside.
 */
const namespaceScript = `{
trap "" TERM INT HUP
read _ <&4
kill -9 -1
} >/dev/null 2>&1 3<&- &
exec 4<&-
{ ulimit -n "$0"; } 2>/dev/null || :
"$@" &
main=$!
trap "" TERM INT HUP
exec >/dev/null 2>&1 3<&-
wait $main`;

export const childEntry = entryPath(import.meta.url, "../child/main.js");

export interface SpawnOptions {
  /** `file:` URL of the agent's module. */
  readonly module: string;
  readonly agent: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The kernel's limit of open files for it and each program it starts. A lower one of this process stays. */
  readonly openFiles: number;
  /** Undefined: it is in this process's own namespace. */
  readonly namespace: NamespacePrefix | undefined;
}

/** Descriptors: 0 nothing, 1 and 2 captured, 3 the frames, 4 the lifeline. */
export function spawnChild(options: SpawnOptions): ChildProcess {
  const command = [
    process.execPath,
    ...loaderFlags(options.module),
    childEntry,
    options.module,
    options.agent,
    options.folder,
  ];
  const { namespace = [], openFiles } = options;
  const shell = namespace.length === 0 ? script : namespaceScript;
  const [program = "", ...args] = [
    ...namespace,
    "/bin/sh",
    "-c",
    shell,
    String(openFiles),
    ...command,
  ];
  return spawn(program, args, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "pipe", "pipe"],
    env: { ...options.environment },
  });
}
