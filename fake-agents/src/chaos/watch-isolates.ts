import { readdirSync, readFileSync } from "node:fs";

const marker = "BRIDLE_ISOLATE=";

/** Which processes belong to which task, read from the process table and nobody's word. Empty where there is no `/proc`. */
export class IsolatesOfTasks {
  readonly #tokens = new Map<string, Set<string>>();

  /** Call while the process is alive: its token is read from its environment. */
  started(taskKey: string, pid: number | undefined): void {
    const token = pid === undefined ? undefined : tokenOf(pid);
    if (token === undefined) return;
    const known = this.#tokens.get(taskKey);
    if (known === undefined) this.#tokens.set(taskKey, new Set([token]));
    else known.add(token);
  }

  /** Live processes under that task's tokens, with what they have started. Zombies are dead. */
  alive(taskKey: string): readonly number[] {
    const tokens = this.#tokens.get(taskKey);
    if (tokens === undefined) return [];
    return livePids().filter((pid) => tokens.has(tokenOf(pid) ?? ""));
  }

  /** The same of every task there was. */
  allAlive(): readonly number[] {
    const all = [...this.#tokens.values()];
    return livePids().filter((pid) => all.some((tokens) => tokens.has(tokenOf(pid) ?? "")));
  }
}

function tokenOf(pid: number): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.find((entry) => entry.startsWith(marker));
  } catch {
    return undefined;
  }
}

function livePids(): readonly number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter(isAlive);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !["Z", "X"].includes(text.slice(text.lastIndexOf(")") + 2)[0] ?? "X");
  } catch {
    return false;
  }
}
