/**
 * A PID namespace around an isolate: whatever is started in it ends with its first process, also a daemon that cleaned its environment.
 *
 * N1. Whether there can be one is found out by trying, once per worker: without rights of its own it takes a user namespace as well, which
 *     many containers and some distributions refuse.
 * N2. Its first process is a shell that starts the agent's, waits for it and takes in orphans. It has none of the pipes.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

import { childPids } from "./proc-table.ts";

/** What comes before a command so that it runs in a namespace of its own. */
export type NamespacePrefix = readonly string[];

const inNamespace = ["--pid", "--fork", "--kill-child"];
const candidates: readonly NamespacePrefix[] = [
  ["unshare", ...inNamespace, "--"],
  ["unshare", "--user", "--map-current-user", ...inNamespace, "--"],
];
/** An `unshare` that works answers in 5 ms (measured). */
const patienceMs = 2000;

/** Undefined where this system lets this user have none. */
export async function findPidNamespace(): Promise<NamespacePrefix | undefined> {
  for (const candidate of candidates) {
    // oxlint-disable-next-line no-await-in-loop -- the second is tried when the first is refused
    if (await works(candidate)) return candidate;
  }
  return undefined;
}

async function works([program = "", ...args]: NamespacePrefix): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { timeout: patienceMs, killSignal: "SIGKILL" } as const;
    // In a namespace of its own a shell is number 1.
    execFile(program, [...args, "/bin/sh", "-c", "echo $$"], options, (error, stdout) => {
      resolve(error === null && stdout.trim() === "1");
    });
  });
}

/** Undefined when the process is gone. */
export function pidNamespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return undefined;
  }
}

/** All processes of a namespace, as this process numbers them. */
export function membersOf(namespace: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pidNamespaceOf(pid) === namespace);
}

/** The process below the shell below `leader` that runs this file; undefined when it is gone. */
export function findMainProcess(leader: number, entry: string): number | undefined {
  const below = (childPids(leader) ?? []).flatMap((shell) => childPids(shell) ?? []);
  return below.find((pid) => argumentsOf(pid).includes(entry));
}

/** Until a shell has become the program it starts, its own hold them, too: they are nobody's. */
function argumentsOf(pid: number): readonly string[] {
  try {
    const [program = "", ...rest] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return program.endsWith("sh") ? [] : rest;
  } catch {
    return [];
  }
}
