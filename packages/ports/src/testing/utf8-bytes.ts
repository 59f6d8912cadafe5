/** Bytes of a text in UTF-8; a lone surrogate counts as its replacement character. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
