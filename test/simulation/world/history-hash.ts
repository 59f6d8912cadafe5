/** FNV-1a over two words: enough to tell two histories apart, and cheap beside what makes them. */
export class HistoryHash {
  #high = 0x811c9dc5;
  #low = 0x01234567;

  add(text: string): void {
    let [high, low] = [this.#high, this.#low];
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      high = Math.imul(high ^ code, 0x01000193);
      low = Math.imul(low ^ (code + index), 0x01000193);
    }
    this.#high = high;
    this.#low = low;
  }

  get text(): string {
    return [this.#high, this.#low]
      .map((word) => (word >>> 0).toString(16).padStart(8, "0"))
      .join("");
  }
}
