import type { Exchange } from "./exchange.ts";

/** Enough to recognise an error object or a page's title. */
const maxBytes = 4096;

/** Reads the start of a body, once, and keeps what it took for whoever reads the rest. */
export class StartOfBody {
  readonly #exchange: Exchange;
  readonly pieces: Uint8Array[] = [];
  #isEnded = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Until something is there that is no space, and then what came with it; a short body whole. */
  async text(): Promise<string> {
    while (!this.#isEnded && this.#decoded().trim() === "" && this.#size() < maxBytes) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const piece = await this.#exchange.read();
      if (piece === undefined) this.#isEnded = true;
      else this.pieces.push(piece);
    }
    return this.#decoded();
  }

  #decoded(): string {
    return Buffer.concat(this.pieces).subarray(0, maxBytes).toString("utf8");
  }

  #size(): number {
    return this.pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  }
}
