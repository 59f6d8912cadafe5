/** The known word that was probably meant, if one is near. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase();
  const reach = reachOf(wanted);
  let best: string | undefined;
  let bestDistance = reach + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** How many slips are forgiven: two neighbours swapped are two. */
function reachOf(word: string): number {
  if (word.length < 4) return 1;
  return word.length < 9 ? 2 : 3;
}

/** Levenshtein: insertions, deletions and replacements, each as one. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(previous, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced));
    }
    previous = current;
  }
  return at(previous, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
