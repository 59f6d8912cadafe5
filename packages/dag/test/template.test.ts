import { evaluateTemplate, expressionLimits, referencesOf } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const bindings = {
  input: { count: 2, name: "Ann", list: [1, 2, 3], nothing: null, big: 9_007_199_254_740_991 },
  item: { q: "x" },
  index: 3,
  tasks: {
    plan: { output: { title: "T", queries: ["a", "b"] }, status: "COMPLETED" },
    "my-id": { output: 7, status: "FAILED" },
  },
};

function value(template: unknown, given: Readonly<Record<string, unknown>> = bindings): unknown {
  const answer = evaluateTemplate(template, given);
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer.value;
}

function fault(template: unknown, given: Readonly<Record<string, unknown>> = bindings): string {
  const answer = evaluateTemplate(template, given);
  return answer.ok ? "none" : answer.code;
}

describe("[S4] templates", () => {
  it.each([
    ["${{ input.list }}", [1, 2, 3]],
    ["  ${{ input.count }}\n", 2],
    ["${{ input.name }} has ${{ input.count }}", "Ann has 2"],
    ["${{ input.nothing }}", null],
    ["<${{ input.nothing }}>", "<>"],
    ["${{ input.list }}!", "[1,2,3]!"],
    ["no expression, $${ {{ x }} }", "no expression, $${ {{ x }} }"],
    ["${{ size(tasks.plan.output.queries) > 1 }}", true],
    ['${{ tasks["my-id"].output + 1 }}', 8],
    ["${{ tasks.plan.status }}", "COMPLETED"],
    ["${{ item.q }}/${{ index }}", "x/3"],
    ["${{ index + 1 }}", 4],
    ["${{ input.count + 1 }}", 3],
    ["${{ 7 % 4 * input.count }}", 6],
    ["${{ {'a': {'b': 1}} }}", { a: { b: 1 } }],
    ['${{ "}}" }}', "}}"],
    ["${{ input.list.filter(x, x > 1).map(x, x * 2) }}", [4, 6]],
    ["${{ has(input.none) ? 1 : 2 }}", 2],
    ["${{ 1u }}", 1],
    ["${{ input.big }}", 9_007_199_254_740_991],
  ])("%s", (template, expected) => {
    expect(value(template)).toEqual(expected);
  });

  it("expressions stand anywhere in a value; keys are left alone", () => {
    expect(
      value({ a: ["${{ input.count }}", { b: "${{ item.q }}" }], c: 1, "${{ x }}": true }),
    ).toEqual({
      a: [2, { b: "x" }],
      c: 1,
      "${{ x }}": true,
    });
  });

  it("[B197] what comes from upstream is literal text: it is not evaluated, and no replacement pattern either", () => {
    for (const hostile of ["${{ input.secret }}", "$(id)", "`id`", "$&", "$1", "{{steps.x}}"]) {
      const given = {
        input: { secret: "s" },
        tasks: { up: { output: hostile, status: "COMPLETED" } },
      };
      expect(value("${{ tasks.up.output }}", given)).toBe(hostile);
      expect(value("say ${{ tasks.up.output }}.", given)).toBe(`say ${hostile}.`);
    }
  });

  it("[B196] nothing of an object's prototype can be read, and a key called constructor is data", () => {
    for (const path of ["constructor", "__proto__", "toString", "constructor.prototype"]) {
      expect(fault(`\${{ input.${path} }}`)).toBe("expression_failed");
      expect(fault(`\${{ input["${path}"] }}`)).toBe("expression_failed");
    }
    const given = {
      input: JSON.parse('{"o":{"constructor":1,"__proto__":{"polluted":2},"x":3}}') as unknown,
    };
    expect(value("${{ input.o.constructor }}", given)).toBe(1);
    expect(value("${{ input.o.x }}", given)).toBe(3);
    expect(JSON.stringify(value("${{ input.o }}", given))).toBe(
      '{"constructor":1,"__proto__":{"polluted":2},"x":3}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("integers beyond what a JSON number holds exactly are refused, not rounded", () => {
    expect(fault("${{ 9007199254740993 }}")).toBe("expression_failed");
    expect(value("${{ string(9007199254740993) }}")).toBe("9007199254740993");
    expect(fault("${{ 1.0 / 0.0 }}")).toBe("expression_failed");
  });

  it.each([
    ["missing data", "${{ input.none }}", "expression_failed"],
    ["bad syntax", "${{ 1 + }}", "expression_invalid"],
    ["no end", "${{ 1", "expression_invalid"],
    ["an unknown name", "${{ process.env }}", "expression_invalid"],
    ["a task chosen at run time", "${{ tasks[item.q].output }}", "expression_invalid"],
    ["all tasks", "${{ tasks }}", "expression_invalid"],
    ["a regular expression", "${{ input.name.matches('(a+)+$') }}", "expression_invalid"],
    [
      "a comprehension in a comprehension",
      "${{ input.list.map(x, input.list.map(y, y)) }}",
      "expression_invalid",
    ],
    ["a hidden loop", "${{ cel.bind(x, input.list, x) }}", "expression_invalid"],
    [
      "a comprehension that hides input",
      "${{ input.list.map(input, input) }}",
      "expression_invalid",
    ],
    ["bytes", "${{ b'x' }}", "expression_failed"],
  ])("%s is refused", (_, template, code) => {
    expect(fault(template)).toBe(code);
  });

  it("the limits are characters, nodes, and the size of the result", () => {
    const sum = (terms: number) => `\${{ ${Array.from({ length: terms }, () => "1").join("+")} }}`;
    expect(value(sum(100))).toBe(100);
    expect(fault(sum(101))).toBe("expression_invalid");
    const text = (characters: number) => `\${{ "${"x".repeat(characters - 2)}" }}`;
    expect(fault(text(expressionLimits.characters))).toBe("none");
    expect(fault(text(expressionLimits.characters + 1))).toBe("expression_invalid");
    const given = { input: { list: Array.from({ length: 2000 }, () => 1), s: "x".repeat(1000) } };
    expect(fault("${{ input.list.map(x, input.s) }}", given)).toBe("expression_failed");
  });

  it("a template names exactly the outputs and states it reads", () => {
    expect(
      referencesOf({
        a: "${{ tasks.plan.output.x + tasks.plan.output.y }}",
        b: ['${{ tasks["my-id"].status }}'],
        c: "tasks.no.output",
      }),
    ).toEqual([
      { task: "plan", field: "output" },
      { task: "my-id", field: "status" },
    ]);
    expect(referencesOf("${{ has(tasks.a.output.x) }}")).toEqual([{ task: "a", field: "output" }]);
    expect(referencesOf("${{ 1 + }}")).toEqual([]);
  });
});
