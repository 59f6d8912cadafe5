const lineFeed = 10;
const carriageReturn = 13;
/** Enough of a line to know its field, and `event: ping`. */
const longestStart = 24;

/**
 * Tells pieces of an event stream that carry data from those that keep it alive: comments, blank lines, fields other than `data`, and
 * the data of `ping` events. Reads the start of each line only.
 */
export class DataWatch {
  #line = "";
  #isPing = false;
  #last = 0;

  /** Whether this piece brought data. */
  sees(piece: Uint8Array): boolean {
    let hasData = false;
    for (const byte of piece) {
      if (byte === lineFeed || byte === carriageReturn) {
        hasData = this.#isData() || hasData;
        // The second half of CR LF ends no line of its own.
        if (byte !== lineFeed || this.#last !== carriageReturn) this.#endLine();
      } else if (this.#line.length < longestStart) {
        this.#line += String.fromCodePoint(byte);
      }
      this.#last = byte;
    }
    return this.#isData() || hasData;
  }

  #isData(): boolean {
    return !this.#isPing && /^data: ?./.test(this.#line);
  }

  #endLine(): void {
    if (this.#line === "") this.#isPing = false;
    if (/^event: ?ping$/.test(this.#line)) this.#isPing = true;
    this.#line = "";
  }
}
