const names = new Set(["it", "test", "describe"]);
const modifiers = new Set(["concurrent", "each", "for", "skipIf", "runIf", "sequential", "only"]);

/**
 * Ids in brackets in the titles of `it`, `test` and `describe`, however they are modified, and of scenarios (`title: "…"`). Not
 * in comments, in other strings, or in tests that are skipped for good. A reader of shapes, not of TypeScript: it follows
 * `name(.modifier)*` through balanced parentheses to the first string that stands as an argument of its own.
 */
export function rulesInTitles(source: string): readonly string[] {
  return titles(source).flatMap((title) =>
    [...title.matchAll(/\[([A-Z]+-?\d+)\]/g)].map(([, rule]) => rule ?? ""),
  );
}

function titles(source: string): readonly string[] {
  const called = [...source.matchAll(/(?<![\w.$])(\w+)(?=[.(])/g)].flatMap((match) =>
    names.has(match[1] ?? "") ? titleAfter(source, match.index + (match[1] ?? "").length) : [],
  );
  const told = [...source.matchAll(/^\s*title:\s*("[^"\n]*"|`[^`]*`)/gm)].map(
    ([, text]) => text ?? "",
  );
  return [...called, ...told];
}

/** The title of a call that goes on at `from`, right behind its name. */
function titleAfter(source: string, from: number): readonly string[] {
  let at = from;
  for (;;) {
    const modifier = /^\.(\w+)/.exec(source.slice(at, at + 40));
    if (modifier === null) break;
    if (!modifiers.has(modifier[1] ?? "")) return [];
    at += modifier[0].length;
  }
  const title = /^\(\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`|'[^'\n]*')/.exec(source.slice(at, at + 2000));
  if (title !== null) return [title[1] ?? ""];
  const end = closing(source, at);
  // `each([…])("title")`: the title is in the next parentheses.
  return end === undefined || source[end + 1] !== "(" ? [] : titleAfter(source, end + 1);
}

/** Where the parenthesis that opens at `from` closes, strings left out of account. */
function closing(source: string, from: number): number | undefined {
  if (source[from] !== "(") return undefined;
  const token = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[()]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    if (match[0] === "(") depth += 1;
    if (match[0] === ")") depth -= 1;
    if (depth === 0) return match.index;
  }
  return undefined;
}
