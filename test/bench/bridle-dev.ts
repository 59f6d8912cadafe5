/** The real binary, as a user starts it, in a process of its own. Linux only, as are the figures that are published. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const binary = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const config = fileURLToPath(new URL("agents/bridle.config.ts", import.meta.url));

/** USER_HZ is 100 on every Linux that Node runs on. */
const tickMs = 10;

export interface BridleDev {
  readonly url: string;
  readonly token: string;
  /** From spawn to the line with the address, and to the first 200 of /readyz. */
  readonly listeningMs: number;
  readonly readyMs: number;
  cost(): Promise<Cost>;
  stop(): Promise<void>;
}

export interface Cost {
  /** Of all threads: what something costs whatever else the machine does meanwhile. */
  readonly cpuMs: number;
  /** Resident memory of the whole process, database included: now, and at its highest. */
  readonly rssMiB: number;
  readonly peakMiB: number;
}

/** `bridle dev` in this folder. */
export async function startBridleDev(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BridleDev> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [binary, "dev", "--config", config, "--port", "0"], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  };
  try {
    const url = await listeningUrl(child);
    const listeningMs = performance.now() - startedMs;
    await untilReady(url);
    const readyMs = performance.now() - startedMs;
    const token = (await readFile(join(folder, ".bridle", "token"), "utf8")).trim();
    return { url, token, listeningMs, readyMs, cost: async () => costOf(child.pid ?? 0), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listeningUrl({ stdout, stderr }: ChildProcess): Promise<string> {
  let [text, complaint] = ["", ""];
  stderr?.on("data", (chunk) => (complaint += String(chunk)));
  return new Promise((resolve, reject) => {
    stdout?.on("data", (chunk) => {
      text += String(chunk);
      const url = /listening on (http:\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    stdout?.on("end", () => reject(new Error(`bridle dev ended before it listened: ${complaint}`)));
  });
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- asked again until the answer is yes
    const answer = await fetch(`${url}/readyz`);
    // oxlint-disable-next-line no-await-in-loop -- the connection is free only when the body is read
    await answer.arrayBuffer();
    if (answer.ok) return;
    // oxlint-disable-next-line no-await-in-loop -- not so often that the asking slows the start
    await pause(5);
  }
}

async function costOf(pid: number): Promise<Cost> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, "utf8"),
    readFile(`/proc/${pid}/stat`, "utf8"),
  ]);
  // The name in parentheses may hold blanks; fields 14 and 15 are user and system time.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    rssMiB: mebibytes(status, "VmRSS"),
    peakMiB: mebibytes(status, "VmHWM"),
  };
}

function mebibytes(status: string, field: string): number {
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kibibytes === undefined) throw new Error(`No ${field} in the status of the process.`);
  return Number(kibibytes) / 1024;
}
