import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

/*
 * Guards publish, and never call each other. What the word of one means for another is decided where it can be read in one
 * place: admission asks them one after the other, and alerts follow from the logs.
 */

const guards = ["watchdog", "breaker", "budget"] as const;

/** Shipped sources as `[path, text]`. */
function sourcesUnder(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?:^|\/)src\/.*\.ts$/.test(`${folder}/${file}`))
    .map((file) => [`${folder}/${file}`, readFileSync(`${folder}/${file}`, "utf8")]);
}

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import\()\s*"(@bridle\/[^"/]+)/g)].map(
    ([, name]) => name ?? "",
  );
}

describe("guards", () => {
  test.each(guards)("[E1] %s knows neither of the others, nor a bus, nor who reacts", (guard) => {
    const known = sourcesUnder(`packages/${guard}/src`).flatMap(([, text]) => importsOf(text));
    expect([...new Set(known)].toSorted()).toEqual(["@bridle/kernel", "@bridle/protocol"]);
  });

  test("[E1] control: who asks all of them is found", () => {
    const runner = sourcesUnder("packages/runner/src").flatMap(([, text]) => importsOf(text));
    expect(runner).toEqual(expect.arrayContaining(guards.map((guard) => `@bridle/${guard}`)));
  });

  test("[E1] [E2] nobody subscribes to a guard's events by name: what they lead to follows from the logs", () => {
    const subscribes = /\.on\(\s*"(?:breaker|budget|governor|task|guard)\./;
    const found = ["packages", "apps"]
      .flatMap(sourcesUnder)
      .filter(([, text]) => subscribes.test(text))
      .map(([file]) => file);
    expect(found).toEqual([]);
    // The control: such a line would be found.
    expect(subscribes.test('bus.on("breaker.open", () => {})')).toBe(true);
  });
});
