/** Rows of the table between `<!-- plants -->` marks of a page: name, what it breaks, what it would do. */
export function toldPlants(page: string): readonly (readonly string[])[] {
  const table = page.split("<!-- plants -->")[1]?.split("<!-- /plants -->")[0] ?? "";
  return table
    .split("\n")
    .filter((line) => /^\|\s*`/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, 4)
        .map((cell) => cell.trim().replaceAll("`", "")),
    );
}
