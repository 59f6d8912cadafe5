import { readdirSync, readFileSync } from "node:fs";

const marker = "BRIDLE_ISOLATE=";

/** Remembers the tokens of processes that were started for agents, and finds whatever lives under one of them. */
export class IsolateWatch {
  readonly #tokens = new Set<string>();

  /** Reads the token of a process that has just been started. One that is gone already has left nothing to find but children. */
  saw(pid: number | undefined): void {
    const token = pid === undefined ? undefined : isolateToken(pid);
    if (token !== undefined) this.#tokens.add(token);
  }

  get seen(): number {
    return this.#tokens.size;
  }

  /** Live processes of any of them: isolates, their lifelines and what agents have started. Zombies are dead. */
  alive(): readonly number[] {
    return livePids().filter((pid) => this.#tokens.has(isolateToken(pid) ?? ""));
  }
}

/** Undefined for a process that is no isolate, or none any more. */
export function isolateToken(pid: number): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.find((entry) => entry.startsWith(marker));
  } catch {
    return undefined;
  }
}

/** Live processes under that token. */
export function aliveUnder(token: string): readonly number[] {
  return livePids().filter((pid) => isolateToken(pid) === token);
}

function livePids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter(isAlive);
}

export function isAlive(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(text.slice(text.lastIndexOf(")") + 2)[0] ?? "X");
  } catch {
    return false;
  }
}

/** Pids of the direct children of a process; none when it is gone. */
export function childrenOf(pid: number | undefined): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}
