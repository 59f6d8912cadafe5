/**
 * When an isolate is read, and when not: its flood fills its own pipe, not this process.
 *
 * R1. Requests in hand may hold at most 256 KiB of this process; beyond that reading stops until some are answered.
 * R2. At most 1,000 messages are read in a tenth of a second; beyond that reading rests until it is over. A message costs 10 to 20 µs to
 *     parse, so one flood takes a fifth of the loop at most, and the neighbours have the rest.
 * R3. Reading goes on only when neither holds it.
 */
import type { Clock } from "@bridle/kernel";

export interface ReadGateOptions {
  readonly clock: Clock;
  /** Contract: none of them throws. */
  readonly pause: () => void;
  readonly resume: () => void;
}

export const creditBytes = 256 * 1024;
export const messagesPerWindow = 1000;
export const windowMs = 100;

export class ReadGate {
  readonly #options: ReadGateOptions;
  #holds = 0;
  #bytesInHand = 0;
  #windowEndsMs = 0;
  #messages = 0;
  /** How often a flood was made to wait. */
  rests = 0;

  constructor(options: ReadGateOptions) {
    this.#options = options;
  }

  /** A message was read. */
  count(): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#windowEndsMs) {
      this.#windowEndsMs = nowMs + windowMs;
      this.#messages = 0;
    }
    this.#messages += 1;
    // What of the last chunk was already read comes all the same, and is counted.
    if (this.#messages !== messagesPerWindow) return;
    this.rests += 1;
    this.#hold();
    clock.setTimer(this.#windowEndsMs - nowMs, () => this.#letGo());
  }

  /** A request came, or was answered: by so many bytes more or less are in hand. */
  hold(bytes: number): void {
    const wasFull = this.#bytesInHand > creditBytes;
    this.#bytesInHand += bytes;
    const isFull = this.#bytesInHand > creditBytes;
    if (isFull && !wasFull) this.#hold();
    if (!isFull && wasFull) this.#letGo();
  }

  #hold(): void {
    this.#holds += 1;
    if (this.#holds === 1) this.#options.pause();
  }

  #letGo(): void {
    this.#holds -= 1;
    if (this.#holds === 0) this.#options.resume();
  }
}
