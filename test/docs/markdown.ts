import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface Block {
  readonly page: string;
  readonly line: number;
  /** First word after the fence: `ts`, `yaml`, `sh`, … */
  readonly language: string;
  /** Further words, `name=value`. */
  readonly notes: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The page without its blocks. */
  readonly prose: string;
}

/** What is written by hand for people who use Bridle or work on it. */
export function handWrittenPages(): readonly Page[] {
  const guides = readdirSync(`${repository}docs/guide`).map((name) => `docs/guide/${name}`);
  return [
    "README.md",
    "CONTRIBUTING.md",
    ...guides,
    "docs/guards.md",
    "docs/operations.md",
    "docs/architecture.md",
    "docs/glossary.md",
    "docs/adr/README.md",
    "examples/research/README.md",
  ].map(readPage);
}

export function readPage(path: string): Page {
  const text = readFileSync(`${repository}${path}`, "utf8");
  const blocks: Block[] = [];
  const prose = text.replaceAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm, (whole, info, body, offset) => {
    const [language = "", ...words] = String(info).trim().split(/\s+/);
    blocks.push({
      page: path,
      line: text.slice(0, Number(offset)).split("\n").length,
      language,
      notes: Object.fromEntries(words.map((word) => word.split("=", 2) as [string, string])),
      text: String(body),
    });
    return "\n".repeat(whole.split("\n").length - 1);
  });
  return { path, text, blocks, prose };
}

/** Anchors of a page's headings, as GitHub makes them. */
export function anchorsOf({ prose }: Page): readonly string[] {
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

/** Targets of links within the repository, with their line. */
export function linksOf({ prose }: Page): readonly { readonly target: string }[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => ({ target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Lines of `sh` blocks and `bridle …` in running text. */
export function commandsOf(page: Page): readonly string[] {
  const lines = page.blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.split("\n"))
    .flatMap((line) => line.split("&&"));
  const inline = [...page.prose.matchAll(/`((?:[A-Z_]+=\S+ )?bridle [^`]+)`/g)].map(
    ([, command = ""]) => command.replaceAll("\n", " "),
  );
  return [...lines, ...inline].map((line) => line.trim()).filter((line) => line !== "");
}
