/** The fake tokenizer: four UTF-8 bytes are a token, at least one for any text. Same text, same count, on every machine. */
export function countFakeTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/** Longest start of `text` that is at most `maxBytes`, never half a character. */
export function truncateToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
