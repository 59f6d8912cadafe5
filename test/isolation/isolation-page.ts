import { readFileSync } from "node:fs";

export interface PageRow {
  readonly what: string;
  readonly process: string;
  readonly thread: string;
  readonly inline: string;
}

const page = readFileSync(new URL("../../docs/isolation.md", import.meta.url), "utf8");

/** The rows of the table under a heading of `docs/isolation.md`. */
export function rowsUnder(heading: string): readonly PageRow[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const table = section.split("\n## ")[0] ?? "";
  return [...table.matchAll(/^\| (?!what |-)(.+?) *\| (.+?) *\| (.+?) *\| (.+?) *\|$/gm)].map(
    ([, what = "", process = "", thread = "", inline = ""]) => ({ what, process, thread, inline }),
  );
}
