import type { TaskSlots } from "./task-slots.ts";

/**
 * The slot of one attempt: given up while the attempt waits for tasks that it spawned, taken back before it goes on, and given up for
 * good with its end.
 *
 * 1. Only the first of several waits gives it up, and only the last takes it back.
 * 2. Whatever the attempt does, it holds one slot or none, and none after its end.
 */
export class TaskSlot {
  readonly #slots: TaskSlots;
  readonly #onFree: () => void;
  #waits = 0;
  #state: "held" | "waiting" | "going_on" | "over" = "held";

  /** Contract: the slot has been taken. `onFree` is called when it is free, each time. */
  constructor(slots: TaskSlots, onFree: () => void) {
    this.#slots = slots;
    this.#onFree = onFree;
  }

  beginWait(): void {
    this.#waits += 1;
    if (this.#waits > 1 || this.#state !== "held" || !this.#slots.tryWait()) return;
    this.#state = "waiting";
    this.#onFree();
  }

  /** Resolves when the attempt may go on. */
  async endWait(): Promise<void> {
    this.#waits -= 1;
    if (this.#waits > 0 || this.#state !== "waiting") return;
    this.#state = "going_on";
    await this.#slots.goOn();
    // `end` may have come meanwhile; then nobody needs what was waited for.
    if (this.#isOver()) this.#slots.give();
    else this.#state = "held";
  }

  /** The attempt has ended. */
  end(): void {
    if (this.#state === "held") this.#slots.give();
    if (this.#state === "waiting") this.#slots.giveUpWait();
    this.#state = "over";
    this.#onFree();
  }

  #isOver(): boolean {
    return this.#state === "over";
  }
}
