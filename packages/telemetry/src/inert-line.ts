/**
 * What JSON leaves as it is and a terminal or a log viewer does not: DEL, the C1 controls, line and paragraph
 * separators, and the marks that turn the reading direction.
 */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const active = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Escapes them in a line of JSON, where they can only stand inside strings: it parses to the same value (B200). */
export function inertLine(line: string): string {
  return line.replaceAll(
    active,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
