/** A line longer than this is cut; what a child prints is for people. */
const maxLineLength = 4096;

/** Cuts a stream of text into lines; keeps at most one unfinished line, itself bounded. */
export class LineCutter {
  #open = "";
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(text: string): void {
    const lines = text.split("\n");
    lines[0] = this.#open + (lines[0] ?? "");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#emit(line);
    if (this.#open.length > maxLineLength) this.flush();
  }

  flush(): void {
    const line = this.#open;
    this.#open = "";
    if (line !== "") this.#emit(line);
  }

  #emit(line: string): void {
    this.#onLine(line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line);
  }
}
