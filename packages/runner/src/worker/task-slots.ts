/**
 * How many tasks of one agent run at once at one depth of spawning (LF-8).
 *
 * L1. A task that waits for tasks below it holds no slot, up to `mostWaiting` of them; beyond that it keeps its slot, so that no worker
 *     holds more processes than `limit + mostWaiting`. Nothing below it needs that slot: each depth has its own.
 * L2. Who waited goes on before who has not begun.
 */
export class TaskSlots {
  readonly #limit: number;
  readonly #mostWaiting: number;
  #taken = 0;
  #waiting = 0;
  readonly #resuming: (() => void)[] = [];
  readonly #beginning: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
    this.#mostWaiting = waitingPerSlot * limit;
  }

  /** Resolves when the task may begin. */
  async take(): Promise<void> {
    await this.#enter(this.#beginning);
  }

  give(): void {
    this.#taken -= 1;
    this.#serve();
  }

  /** A task begins to wait. False: too many wait already, and it keeps its slot. */
  tryWait(): boolean {
    if (this.#waiting >= this.#mostWaiting) return false;
    this.#waiting += 1;
    this.give();
    return true;
  }

  /** A task that waits will not go on. */
  giveUpWait(): void {
    this.#waiting -= 1;
  }

  /** Resolves when a task that had begun to wait may go on. */
  async goOn(): Promise<void> {
    await this.#enter(this.#resuming);
    this.#waiting -= 1;
  }

  async #enter(line: (() => void)[]): Promise<void> {
    if (this.#taken < this.#limit) {
      this.#taken += 1;
      return;
    }
    await new Promise<void>((resolve) => {
      line.push(resolve);
    });
  }

  #serve(): void {
    while (this.#taken < this.#limit) {
      const next = this.#resuming.shift() ?? this.#beginning.shift();
      if (next === undefined) return;
      this.#taken += 1;
      next();
    }
  }
}

/** Each is a process that does nothing, but has its memory. */
export const waitingPerSlot = 2;
