import { parseSync } from "vite";
import type { ESTree } from "vite";

import { excuses } from "./finding.ts";
import type { Finding, Kind } from "./finding.ts";

/** A parsed file, with the questions that every rule asks of it. */
export class SourceFile {
  readonly program: ESTree.Program;
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  /** Texts of comments by the line on which each ends. */
  readonly #comments = new Map<number, string>();

  /** @throws Error for what is no TypeScript: a file that cannot be read would hide anything. */
  constructor(name: string, text: string) {
    const { program, comments, errors } = parseSync(name, text);
    if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
    this.program = program;
    this.#text = text;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    for (const { value, end } of comments) this.#comments.set(this.lineOf(end), value);
  }

  textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.#text.slice(start, end);
  }

  lineOf(offset: number): number {
    const after = this.#lineStarts.findIndex((start) => start > offset);
    return after === -1 ? this.#lineStarts.length : after;
  }

  /** The finding, unless a comment there excuses its kind. */
  find(kind: Kind, node: { readonly start: number; readonly end: number }): readonly Finding[] {
    const line = this.lineOf(node.start);
    if (this.#isExcused(kind, line)) return [];
    return [{ kind, line, text: this.textOf(node).replaceAll(/\s+/g, " ").slice(0, 80) }];
  }

  /** By a comment on the line, in the comment right above it, or in the one that opens the file. */
  #isExcused(kind: Kind, line: number): boolean {
    const words = excuses[kind];
    if (words === undefined) return false;
    const isStated = (at: number): boolean =>
      this.#comments
        .get(at)
        ?.trimStart()
        .replace(/^\*\s*/, "")
        .startsWith(`${words}: `) ?? false;
    if (isStated(line) || this.#isFileExcused(isStated)) return true;
    for (let above = line - 1; this.#comments.has(above); above -= 1) {
      if (isStated(above)) return true;
    }
    return false;
  }

  #isFileExcused(isStated: (line: number) => boolean): boolean {
    const first = this.program.body[0];
    if (first === undefined) return false;
    const firstLine = this.lineOf(first.start);
    return [...this.#comments.keys()].some((line) => line < firstLine && isStated(line));
  }
}
