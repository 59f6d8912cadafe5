import type { Clock, TimerHandle } from "@bridle/kernel";

const everyMs = 50;

/** Joins small pieces of text, so that a stream costs twenty messages a second and not two hundred. The first piece goes at once. */
export class TextBatcher {
  readonly #clock: Clock;
  readonly #pass: (text: string) => void;
  #text = "";
  #timer: TimerHandle | undefined;

  constructor(clock: Clock, pass: (text: string) => void) {
    this.#clock = clock;
    this.#pass = pass;
  }

  push(text: string): void {
    this.#text += text;
    if (this.#timer === undefined) this.#tick();
  }

  flush(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "") this.#pass(text);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#text = "";
  }

  #tick(): void {
    this.flush();
    this.#timer = this.#clock.setTimer(everyMs, () => {
      this.#timer = undefined;
      if (this.#text !== "") this.#tick();
    });
  }
}
