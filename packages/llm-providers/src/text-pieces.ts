/** In UTF-16 units: each is at most three bytes, so a piece is at most 4 kB. */
const longestPiece = 1365;
const longestRun = 1000;

/**
 * Cuts a text where a tokenizer would cut it as well: before white space. Only a run that is longer than 1,000 characters is cut
 * inside, never between the halves of a pair. Joined, the pieces are the text.
 */
export function* textPieces(text: string): Generator<string> {
  let piece = "";
  for (const run of runsOf(text)) {
    if (piece.length + run.length > longestPiece) {
      yield piece;
      piece = "";
    }
    piece += run;
  }
  if (piece !== "") yield piece;
}

/** Words, each with the white space before it. */
function* runsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\s+\S*|\S+/g)) {
    let start = 0;
    while (word.length - start > longestRun) {
      const end = start + longestRun - (isHighSurrogate(word, start + longestRun - 1) ? 1 : 0);
      yield word.slice(start, end);
      start = end;
    }
    yield word.slice(start);
  }
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit < 0xdc00;
}
