import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** Enough to tell a process from a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In the words of the system; undefined where it cannot be read. */
  readonly startedAt: string | undefined;
  readonly host: string;
  /** The pid namespace (a container has its own) where there is such a thing. */
  readonly namespace: string | undefined;
  /** Changes with each boot of the machine. */
  readonly machineBoot: string | undefined;
}

let own: Promise<ProcessIdentity> | undefined;

/** Who we are. Read once: none of it changes. */
export async function currentProcess(): Promise<ProcessIdentity> {
  return (own ??= identify());
}

async function identify(): Promise<ProcessIdentity> {
  const [startedAt, namespace, machineBoot] = await Promise.all([
    startOf(process.pid),
    readlink("/proc/self/ns/pid").catch(() => undefined),
    readFile("/proc/sys/kernel/random/boot_id", "utf8").then(
      (text) => text.trim(),
      () => undefined,
    ),
  ]);
  return { pid: process.pid, startedAt, host: hostname(), namespace, machineBoot };
}

/** Whether the very process that was described is still there; a zombie is not. */
export async function isAlive(other: ProcessIdentity): Promise<boolean> {
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    // EPERM: it is there, and not ours.
    if ((error as { code?: unknown }).code !== "EPERM") return false;
  }
  if (other.startedAt === undefined) return true;
  return (await startOf(other.pid)) === other.startedAt;
}

async function startOf(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "latin1");
    // The name in parentheses may hold anything, so count from its end: field 3 is the state, 22 the start.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    return startFromPs(pid);
  }
}

async function startFromPs(pid: number): Promise<string | undefined> {
  if (process.platform === "win32" || process.platform === "linux") return undefined;
  const { stdout } = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(
    () => ({ stdout: "" }),
  );
  return stdout.trim() || undefined;
}
