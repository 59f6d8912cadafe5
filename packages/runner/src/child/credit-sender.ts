/**
 * The sending end of a thread's port. A port has no pipe that could fill: what is posted lies in the supervisor's queue.
 *
 * C1. At most 256 KiB are posted and not yet taken; the last message posted may exceed that by its own length.
 * C2. What waits lies in this thread's own heap, under its own limit, in order. A flood ends the thread, not its supervisor.
 */

/** The same as a process isolate may have in hand. */
export const creditBytes = 256 * 1024;

export class CreditSender {
  readonly #post: (text: string) => void;
  #waiting: string[] = [];
  #next = 0;
  #untaken = 0;

  constructor(post: (text: string) => void) {
    this.#post = post;
  }

  send(text: string): void {
    this.#waiting.push(text);
    this.#flush();
  }

  /** The supervisor has taken so many characters. */
  taken(length: number): void {
    this.#untaken -= length;
    this.#flush();
  }

  #flush(): void {
    while (this.#untaken < creditBytes) {
      const text = this.#waiting[this.#next];
      if (text === undefined) break;
      this.#next += 1;
      this.#untaken += text.length;
      this.#post(text);
    }
    if (this.#next < this.#waiting.length && this.#next < 1024) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }
}
