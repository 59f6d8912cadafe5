/**
 * The sentence in which Node or a loader says what it could not run. A loader's headline ("Transform failed with 1 error:")
 * says nothing without the line below it.
 */
export function faultSentence(stderr: string): string | undefined {
  const lines = stderr.split("\n");
  const at = lines.findIndex((line) => /^\w*(Error|Exception)\b.*:/.test(line));
  const headline = lines[at];
  if (headline === undefined) return undefined;
  return headline.endsWith(":") ? [headline, lines[at + 1]?.trim()].join(" ").trim() : headline;
}
