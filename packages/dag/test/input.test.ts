import { compileWorkflow, validateInput } from "@bridle/dag";
import { describe, expect, it } from "vitest";

function compile(input: unknown) {
  return compileWorkflow({ name: "w", tasks: [{ id: "a", agent: "x" }], input });
}

function faults(input: unknown): readonly string[] {
  const answer = compile(input);
  return answer.ok ? [] : answer.issues.map(({ code, pointer }) => `${code} ${pointer}`);
}

function validate(schema: unknown, input: unknown): readonly string[] {
  const answer = compile(schema);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  return validateInput(answer.workflow, input).map(({ code, pointer }) => `${code} ${pointer}`);
}

const topic = {
  type: "object",
  required: ["topic"],
  properties: { topic: { type: "string" } },
  additionalProperties: false,
};

describe("a run's input", () => {
  it("a missing, a wrong and an unexpected field are all named, with pointers into the input", () => {
    expect(validate(topic, { topic: "x" })).toEqual([]);
    expect(validate(topic, {})).toEqual(["required /topic"]);
    expect(validate(topic, { topic: 1, "a/b": 2 }).toSorted()).toEqual([
      "invalid_value /topic",
      "unknown_key /a~1b",
    ]);
  });

  it("without a schema anything goes, as far as it is bounded", () => {
    expect(validate(undefined, { any: [1] })).toEqual([]);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = { deep };
    expect(validate(undefined, deep)[0]).toMatch(/^too_deep/);
    expect(validate(undefined, JSON.parse('{"__proto__":1}'))).toEqual([
      "name_reserved /__proto__",
    ]);
  });

  it("a schema of an older draft is read, one that is no schema is a fault of the workflow", () => {
    expect(faults({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" })).toEqual(
      [],
    );
    expect(faults({ type: "objekt" })[0]).toMatch(/^schema_invalid \/input\/type/);
  });

  it("two workflows with schemas of the same name do not meet", () => {
    const schema = (type: string) => ({
      $defs: { x: { type } },
      properties: { v: { $ref: "#/$defs/x" } },
    });
    expect(validate(schema("string"), { v: "s" })).toEqual([]);
    expect(validate(schema("number"), { v: "s" })).toEqual(["invalid_value /v"]);
  });
});

describe("what an input schema may not do", () => {
  it.each([
    [
      "a regular expression",
      { properties: { a: { pattern: "(a+)+$" } } },
      "schema_invalid /input/properties/a/pattern",
    ],
    [
      "keys by regular expression",
      { patternProperties: { "(a+)+$": {} } },
      "schema_invalid /input/patternProperties",
    ],
    [
      "a reference to elsewhere",
      { $ref: "https://example.com/s.json" },
      "schema_invalid /input/$ref",
    ],
    ["a reference to nothing", { $ref: "#/$defs/none" }, "schema_invalid /input/$ref"],
    ["a name of its own", { $id: "https://example.com/s.json" }, "schema_invalid /input/$id"],
    [
      "a circle",
      { $defs: { a: { items: { $ref: "#/$defs/a" } } }, $ref: "#/$defs/a" },
      "schema_invalid /input",
    ],
    [
      "unique objects",
      { items: { type: "object" }, uniqueItems: true },
      "schema_invalid /input/uniqueItems",
    ],
  ])("%s is refused", (_, schema, expected) => {
    expect(faults(schema)).toEqual([expected]);
  });

  it("thirty alternatives that each double the next are refused before they are tried", () => {
    const $defs: Record<string, unknown> = { d30: { type: "string" } };
    for (let level = 0; level < 30; level += 1) {
      const next = { $ref: `#/$defs/d${level + 1}` };
      $defs[`d${level}`] = { anyOf: [next, next] };
    }
    expect(faults({ $defs, $ref: "#/$defs/d0" })).toEqual(["schema_invalid /input"]);
  });

  it("a property may be called what a keyword is called", () => {
    expect(
      validate(
        {
          properties: {
            pattern: { type: "string" },
            $id: { type: "string" },
            uniqueItems: { const: true },
          },
        },
        { pattern: "x" },
      ),
    ).toEqual([]);
  });
});
