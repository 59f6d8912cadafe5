import { plainYaml, reasonUnreadable, refuseUnplainData } from "@bridle/protocol";
import type { ParseYaml } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Why it is refused; undefined when it is plain. */
function reason(value: unknown): string | undefined {
  try {
    refuseUnplainData(value);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe("plain data", () => {
  test.each([
    [null],
    ["text"],
    [0],
    [true],
    [undefined],
    [[1, { a: [null, "b"] }]],
    [Object.assign(Object.create(null) as object, { a: 1 })],
    [nested(100)],
  ])("%j is", (value) => {
    expect(reason(value)).toBeUndefined();
  });

  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const kind = "it holds something that has no JSON form.";
  const deep = "it nests deeper than 100 levels.";

  test.each<[string, unknown, string]>([
    ["a number that is none", { a: [Number.NaN] }, "the number NaN has no JSON form."],
    ["an endless number", -Infinity, "the number -Infinity has no JSON form."],
    ["a date", [new Date(0)], kind],
    ["a set", { a: new Set() }, kind],
    [
      "a key that reaches a prototype",
      JSON.parse('{"a":{"__proto__":1}}'),
      'the key "__proto__" is not allowed.',
    ],
    ["101 levels", nested(101), deep],
    ["a circle", circle, deep],
  ])("%s is not", (_, value, expected) => {
    expect(reason(value)).toBe(expected);
  });
});

describe("a YAML document", () => {
  function parsed(
    value: unknown,
    { errors = [], warnings = [] }: { errors?: readonly Error[]; warnings?: readonly Error[] } = {},
  ) {
    const asked: unknown[] = [];
    const parse: ParseYaml = (text, options) => {
      asked.push(text, options);
      return {
        errors,
        warnings,
        toJS: (aliases) => {
          asked.push(aliases);
          return value;
        },
      };
    };
    return { asked, read: () => plainYaml("a: 1", parse) };
  }

  test("is read as JSON would be: texts as keys, no tags, no merging, each key once, few aliases", () => {
    const { asked, read } = parsed({ a: 1 });
    expect(read()).toEqual({ a: 1 });
    expect(asked).toEqual([
      "a: 1",
      {
        schema: "core",
        stringKeys: true,
        resolveKnownTags: false,
        merge: false,
        uniqueKeys: true,
        logLevel: "error",
      },
      { maxAliasCount: 100 },
    ]);
  });

  test("is refused for its first fault, for a warning as well, and for what is not plain", () => {
    const fault = new Error("fault");
    const warning = new Error("warning");
    expect(parsed(1, { errors: [fault], warnings: [warning] }).read).toThrow(fault);
    expect(parsed(1, { warnings: [warning] }).read).toThrow(warning);
    expect(parsed(new Date(0)).read).toThrow("no JSON form");
  });
});

describe("why a text cannot be read, as the end of a sentence", () => {
  test.each([
    [
      "Source contains multiple documents; please use YAML.parseAllDocuments() at line 2, column 1:\n\nb\n^",
      "it holds more than one document at line 2, column 1:",
    ],
    ["Source contains multiple documents; please", "it holds more than one document"],
    ["Maximum call stack size exceeded", "it nests too deeply"],
    ["Unresolved tag: !x at line 1", "tags are not supported at line 1"],
    [
      "Excessive alias count indicates a resource exhaustion attack",
      "its aliases stand for too much; write the parts out.",
    ],
    ["With stringKeys, all keys must be strings at line 1", "a key must be a text at line 1"],
    ["Something else\nwith a caret below", "Something else"],
    ["It says: Unresolved tag: !x", "It says: Unresolved tag: !x"],
    ["It says: Maximum call stack size exceeded", "It says: Maximum call stack size exceeded"],
    ["It says: Excessive alias count", "It says: Excessive alias count"],
    [
      "It says: With stringKeys, all keys must be strings",
      "It says: With stringKeys, all keys must be strings",
    ],
    ["It says: Source contains multiple documents", "It says: Source contains multiple documents"],
  ])("%j", (message, words) => {
    expect(reasonUnreadable(new Error(message))).toBe(words);
    expect(reasonUnreadable(message)).toBe(words);
  });

  test("says something of what is no error", () => {
    expect(reasonUnreadable(undefined)).toBe("undefined");
    expect(reasonUnreadable("")).toBe("");
  });
});
