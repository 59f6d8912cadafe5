import { aliveUnder, isolateToken } from "../process-table.ts";

/** Which processes belong to which task, read from the process table and nobody's word. Empty where there is no `/proc`. */
export class IsolatesOfTasks {
  readonly #tokens = new Map<string, Set<string>>();

  /** Call while the process is alive: its token is read from its environment. */
  started(taskKey: string, pid: number | undefined): void {
    const token = pid === undefined ? undefined : isolateToken(pid);
    if (token === undefined) return;
    const known = this.#tokens.get(taskKey);
    if (known === undefined) this.#tokens.set(taskKey, new Set([token]));
    else known.add(token);
  }

  /** Live processes under that task's tokens, with what they have started. Zombies are dead. */
  alive(taskKey: string): readonly number[] {
    return aliveUnder(this.#tokens.get(taskKey) ?? new Set());
  }

  /** The same of every task there was. */
  allAlive(): readonly number[] {
    const all = new Set<string>();
    for (const tokens of this.#tokens.values()) for (const token of tokens) all.add(token);
    return aliveUnder(all);
  }
}
