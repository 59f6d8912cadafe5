/** A line longer than this is cut, the rest of it dropped; what a child prints is for people. */
const maxLineLength = 4096;

/** Cuts a stream of text into lines; keeps at most one unfinished line, itself bounded. */
export class LineCutter {
  #open = "";
  #isDropping = false;
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.#append(first);
    for (const next of rest) {
      this.flush();
      this.#append(next);
    }
  }

  /** The line in hand is complete. */
  flush(): void {
    const line = this.#open;
    this.#open = "";
    this.#isDropping = false;
    if (line !== "") this.#onLine(line);
  }

  #append(text: string): void {
    if (this.#isDropping) return;
    this.#open += text;
    if (this.#open.length <= maxLineLength) return;
    this.#open = `${this.#open.slice(0, maxLineLength)}…`;
    this.#isDropping = true;
  }
}
