import { evaluateTemplate } from "@bridle/dag";
import { describe, expect, it } from "vitest";

describe("what the author of an expression is told", () => {
  function said(expression: string): string {
    const answer = evaluateTemplate(`\${{ ${expression} }}`, { input: { list: [1] } });
    return answer.ok ? "nothing" : answer.message;
  }

  it.each([
    ["secrets.x", 'Unknown name "secrets"; an expression can read input, tasks, item and index.'],
    [
      "tasks",
      'Write tasks.<id>.output or tasks.<id>.status, with the id spelled out (tasks["my-id"].output when it has a dash): what a task reads must be known before it runs.',
    ],
    [
      "input.x.matches('a')",
      "matches() is not supported: one regular expression can keep a process busy for minutes.",
    ],
    [
      "matches(input.x, 'a')",
      "matches() is not supported: one regular expression can keep a process busy for minutes.",
    ],
    [
      "input.list.map(x, input.list.filter(y, true))",
      "filter() inside another comprehension: only one level is allowed.",
    ],
    ["input.list.exists(item, true)", 'exists() cannot reuse the name "item".'],
    [`"${"x".repeat(1999)}"`, "It has 2001 characters; 2000 are the limit."],
    ["9007199254740993", "9007199254740993 is too large for an exact number; use string()."],
    ["1.0 / 0.0", "Infinity has no form in JSON."],
    ["b'x'", "The result is of a type that has no form in JSON (bytes, a type)."],
  ])("%.60s", (expression, message) => {
    expect(said(expression)).toBe(message);
  });

  it.each(["all", "exists", "exists_one", "filter", "map"])(
    "%s() is a comprehension: one in another is refused, one after another is not",
    (name) => {
      expect(said(`input.list.${name}(x, input.list.all(y, true))`)).toBe(
        "all() inside another comprehension: only one level is allowed.",
      );
      expect(said(`input.list.filter(x, true).${name}(x, true)`)).toBe("nothing");
    },
  );
});
