/** What the process table says of agents' processes, and of this one: nobody's word. Needs `/proc`. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const marker = "BRIDLE_ISOLATE=";

/** Undefined for a process that is no isolate, or none any more. */
export function isolateToken(pid: number): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.find((entry) => entry.startsWith(marker));
  } catch {
    return undefined;
  }
}

/** Live processes under one of these tokens: isolates, their lifelines and what agents have started. */
export function aliveUnder(tokens: ReadonlySet<string>): readonly number[] {
  if (tokens.size === 0) return [];
  return livePids().filter((pid) => tokens.has(isolateToken(pid) ?? ""));
}

function livePids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isAlive);
}

/** Zombies are dead. */
export function isAlive(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(text.slice(text.lastIndexOf(")") + 2)[0] ?? "X");
  } catch {
    return false;
  }
}

/** Pids of the direct children of a process, zombies included; none when it is gone. */
export function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}

/** How many sockets and pipes this process holds. None where there is no `/proc`. */
export function openChannels(): number {
  return ownDescriptors().filter(isChannel).length;
}

function ownDescriptors(): readonly string[] {
  try {
    return readdirSync("/proc/self/fd");
  } catch {
    return [];
  }
}

function isChannel(descriptor: string): boolean {
  try {
    return /^(?:socket|pipe):/.test(readlinkSync(`/proc/self/fd/${descriptor}`));
  } catch {
    // The descriptor with which the folder itself was read.
    return false;
  }
}
