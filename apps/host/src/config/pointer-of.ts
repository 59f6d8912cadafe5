/** A JSON pointer (RFC 6901): names of models have slashes and dots in them. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${escaped(String(part))}`).join("");
}

function escaped(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
