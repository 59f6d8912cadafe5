/**
 * File and line of what Node could not run, from what it wrote to stderr: `file:///a/b.js:3` above a syntax error, `/a/b.ts:3:5`
 * from a TypeScript loader, `at … (file:///a/b.js:3:5)` in a stack. Places inside installed packages are not the author's.
 */
export function sourcePlace(stderr: string): string | undefined {
  const places = stderr.matchAll(/(?:file:\/\/|(?<=^|[\s('"]))(\/[^\s:()'"]+):(\d+)/gm);
  for (const [, file, line] of places) {
    if (file !== undefined && !file.includes("/node_modules/")) return `${file}:${line ?? ""}`;
  }
  return undefined;
}
