/**
 * Knows whether at least two different sources failed since some time, in O(1): of all failures only the newest, and
 * the newest by anybody else, can matter (BR-13).
 */
export class FailingSources {
  #newest = "";
  #newestAt = Number.NEGATIVE_INFINITY;
  #otherAt = Number.NEGATIVE_INFINITY;

  failed(source: string, at: number): void {
    if (source !== this.#newest) this.#otherAt = this.#newestAt;
    this.#newest = source;
    this.#newestAt = at;
  }

  areSeveralSince(at: number): boolean {
    return this.#otherAt >= at;
  }

  clear(): void {
    this.#newest = "";
    this.#newestAt = Number.NEGATIVE_INFINITY;
    this.#otherAt = Number.NEGATIVE_INFINITY;
  }
}
