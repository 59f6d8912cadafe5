import { evaluateTemplate, referencesOf } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const write =
  'Write tasks.<id>.output or tasks.<id>.status, with the id spelled out (tasks["my-id"].output when it has a dash): what a task reads must be known before it runs.';

const bindings = {
  input: {
    count: 2,
    half: 1.5,
    list: [1, 2, 3],
    name: "Ann",
    flag: false,
    plan: { output: 1 },
    tasks: { a: { output: 5 } },
    timed: { toISOString: "x" },
    bare: Object.assign(Object.create(null) as object, { a: 1 }),
  },
  item: 3,
  index: 3,
  tasks: { a: { output: true, status: "COMPLETED" } },
};

/** The value, or what is said instead of one. */
function valueOf(template: unknown): unknown {
  const answer = evaluateTemplate(template, bindings);
  return answer.ok ? answer.value : `${answer.code}: ${answer.message}`;
}

function of(expression: string): unknown {
  return valueOf(`\${{ ${expression} }}`);
}

describe("[S4] numbers of JSON and of CEL meet in every operator", () => {
  it.each<[string, unknown]>([
    ["input.count - 1", 1],
    ["3 - input.count", 1],
    ["input.count * 4", 8],
    ["input.count / 4", 0.5],
    ["3 / input.count", 1.5],
    ["7 % input.count", 1],
    ["input.half % 1", 0.5],
    ["input.half % 1.0", 0.5],
    ["1 + input.half", 2.5],
    ["-input.count", -2],
    ["[1, 'a', 2.5]", [1, "a", 2.5]],
  ])("%s", (expression, value) => {
    expect(of(expression)).toEqual(value);
  });

  it("an index is a whole number as CEL counts, an item is what the list holds", () => {
    expect(of("index / 2")).toBe(1);
    expect(of("item / 2")).toBe(1.5);
  });
});

describe("[S4] what an expression yields, as JSON", () => {
  it.each<[string, unknown]>([
    ["duration('90s')", "90s"],
    ["timestamp('2026-01-02T03:04:05Z')", "2026-01-02T03:04:05.000Z"],
    ["{1: 2}", { "1": 2 }],
    ["!input.flag", true],
    ["input.name.startsWith('A')", true],
    ["input.bare", { a: 1 }],
    ["input.timed", { toISOString: "x" }],
    ["'}}'", "}}"],
    [String.raw`"a\"}}b"`, 'a"}}b'],
  ])("%s", (expression, value) => {
    expect(of(expression)).toEqual(value);
  });

  it("two expressions in a row are a text", () => {
    expect(valueOf("${{ input.count }}${{ input.count }}")).toBe("22");
  });

  it("null stays null, however deep", () => {
    expect(valueOf({ a: null, b: [null] })).toEqual({ a: null, b: [null] });
    expect(valueOf(null)).toBeNull();
  });

  it("is at most 1 MiB: each value counts two characters, a text its own, a key its own and two", () => {
    const limit = 1_048_576;
    const read = (value: unknown) => {
      const answer = evaluateTemplate("${{ input }}", { input: value });
      return answer.ok ? "a value" : answer.message;
    };
    expect(read("x".repeat(limit - 2))).toBe("a value");
    expect(read("x".repeat(limit - 1))).toBe("The result is larger than 1 MiB.");
    expect(read([1, "x".repeat(limit - 6)])).toBe("a value");
    expect(read([1, "x".repeat(limit - 5)])).toBe("The result is larger than 1 MiB.");
    expect(read({ ["k".repeat(limit - 6)]: null })).toBe("a value");
    expect(read({ ["k".repeat(limit - 5)]: null })).toBe("The result is larger than 1 MiB.");
  });
});

describe("[B196] data of any key is read as data", () => {
  const within = [{ a: 1 }, { a: 1, b: { constructor: null, list: [1, 2] } }];
  it.each<[string, unknown, unknown]>([
    ["input.constructor", { constructor: 1 }, 1],
    ["input", JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
    ["input[1].constructor", [{ a: 1 }, { constructor: 1 }], 1],
    ["input.b.constructor", { a: 1, b: { constructor: 1 } }, 1],
    ["input", within, within],
    ["input[1].b.list[1]", within, 2],
  ])("%s of %j", (expression, input, value) => {
    expect(evaluateTemplate(`\${{ ${expression} }}`, { input })).toEqual({ ok: true, value });
  });
});

describe("[S4] what is refused before it runs", () => {
  it.each([
    ["'a' * 2", "no such overload: string * int"],
    ["1 +", "Unexpected token: EOF"],
    [
      "1 + secrets.x",
      'Unknown name "secrets"; an expression can read input, tasks, item and index.',
    ],
    [
      "input.list[secrets.x]",
      'Unknown name "secrets"; an expression can read input, tasks, item and index.',
    ],
    ["tasks.a.result", write],
    ["tasks[1].output", write],
    ["tasks[input].output", write],
    ["tasks.a['output']", write],
    ["input.count }", "An expression that begins with ${{ has no end }}."],
    ['"abc', "An expression that begins with ${{ has no end }}."],
  ])("%s", (expression, message) => {
    expect(of(expression)).toBe(`expression_invalid: ${message}`);
  });
});

describe("[S4] which tasks a template reads", () => {
  const a = { task: "a", field: "output" };
  it.each<[string, readonly unknown[]]>([
    ["!tasks.a.output", [a]],
    ["input.list[tasks.a.output]", [a]],
    ["{'x': tasks.a.output}", [a]],
    ["input.plan.output", []],
    ["input.tasks.a.output", []],
    ["'tasks'.a.output", []],
  ])("%s", (expression, references) => {
    expect(referencesOf(`\${{ ${expression} }}`)).toEqual(references);
    expect(referencesOf(`read: \${{ ${expression} }}!`)).toEqual(references);
  });
});
