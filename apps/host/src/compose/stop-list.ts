import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";

/**
 * What was started, to be stopped in reverse order.
 *
 * 1. Each part is stopped once, after everything that was started later.
 * 2. All of it takes at most the time given: a part that hangs is left behind when the time is up, the next ones still get
 *    their turn. `stopAll` never rejects.
 */
export class StopList {
  readonly #parts: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  readonly #clock: Clock;
  readonly #onError: (part: string, error: unknown) => void;

  constructor(clock: Clock, onError: (part: string, error: unknown) => void) {
    this.#clock = clock;
    this.#onError = onError;
  }

  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
  }

  async stopAll(withinMs: number): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + withinMs;
    for (const { name, stop } of this.#parts.splice(0).toReversed()) {
      const leftMs = Math.max(0, untilMs - this.#clock.monotonicMs());
      // oxlint-disable-next-line no-await-in-loop -- in reverse order of start
      await this.#stopWithin(name, stop, leftMs);
    }
  }

  async #stopWithin(name: string, stop: () => Promise<void>, leftMs: number): Promise<void> {
    const stopped = new AbortController();
    const late = sleep({ clock: this.#clock, ms: leftMs, signal: stopped.signal }).then(
      () => this.#onError(name, new Error(`did not stop within ${Math.round(leftMs)} ms`)),
      () => undefined,
    );
    const done = stop().catch((error: unknown) => this.#onError(name, error));
    await Promise.race([done, late]);
    stopped.abort();
  }
}
