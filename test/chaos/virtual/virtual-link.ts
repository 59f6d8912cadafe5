import type { Random } from "@bridle/kernel";

import type { SimulationTime } from "../../simulation/world/simulation-time.ts";

export interface LinkOptions {
  readonly time: SimulationTime;
  readonly random: Random;
  /** Longest way of one message. */
  readonly latencyMs: number;
}

/** One direction of a connection: each message takes its time, and none overtakes another. */
export class VirtualLink {
  readonly #options: LinkOptions;
  #lastMs = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  carry(deliver: () => void): void {
    const { time, random, latencyMs } = this.#options;
    this.#lastMs = Math.max(this.#lastMs, time.nowMs + random.next() * latencyMs);
    time.at(this.#lastMs, deliver);
  }
}
