export interface LineBudgetOptions {
  readonly lines: number;
  readonly bytes: number;
}

/** Bounds what one task may write into this process's log; the rest is only counted. */
export class LineBudget {
  #lines: number;
  #bytes: number;
  omitted = 0;

  constructor({ lines, bytes }: LineBudgetOptions) {
    this.#lines = lines;
    this.#bytes = bytes;
  }

  admits(line: string): boolean {
    this.#lines -= 1;
    this.#bytes -= line.length;
    if (this.#lines >= 0 && this.#bytes >= 0) return true;
    this.omitted += 1;
    return false;
  }
}
