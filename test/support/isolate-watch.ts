import { aliveUnder, isolateToken } from "@bridle/fake-agents/process-table";

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
    return aliveUnder(this.#tokens);
  }
}
