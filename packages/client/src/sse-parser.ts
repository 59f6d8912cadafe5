/** One message of an event stream, as the server framed it. */
export interface SseMessage {
  readonly event: string;
  readonly data: string;
  /** Present only when the message itself carried one. */
  readonly id?: string;
}

/** Longest line kept: a run's snapshot of 10,000 tasks is about 3 MB. Longer ones are an error, never a growing buffer. */
const maxLineCharacters = 32 * 1024 * 1024;

/**
 * Splits a text stream into server-sent messages (WHATWG HTML, 9.2). Feed it any slices; it keeps only the unfinished
 * rest between calls.
 */
export class SseParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | undefined;
  #first = true;
  #isAfterCr = false;

  /** Messages completed by this slice, in order. */
  push(slice: string): readonly SseMessage[] {
    if (slice === "") return [];
    const marked = this.#first ? slice.replace(/^\uFEFF/, "") : slice;
    // A CR has ended its line already: the LF that follows it is its other half.
    const text = this.#isAfterCr ? marked.replace(/^\n/, "") : marked;
    this.#first = false;
    this.#isAfterCr = slice.endsWith("\r");
    // A long line comes in many slices: scanning the part already seen again would be quadratic.
    if (!/[\r\n]/.test(text)) return this.#keep(this.#rest + text);
    const lines = (this.#rest + text).split(/\r\n|\n|\r/);
    this.#keep(lines.pop() ?? "");
    return lines.flatMap((line) => this.#line(line) ?? []);
  }

  #keep(rest: string): readonly SseMessage[] {
    if (rest.length > maxLineCharacters) {
      throw new RangeError(
        `A line of the event stream is longer than ${maxLineCharacters} characters.`,
      );
    }
    this.#rest = rest;
    return [];
  }

  #line(line: string): SseMessage | undefined {
    if (line === "") return this.#flush();
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #flush(): SseMessage | undefined {
    const message =
      this.#data.length === 0
        ? undefined
        : {
            event: this.#event === "" ? "message" : this.#event,
            data: this.#data.join("\n"),
            ...(this.#id === undefined ? {} : { id: this.#id }),
          };
    this.#event = "";
    this.#data = [];
    this.#id = undefined;
    return message;
  }
}
