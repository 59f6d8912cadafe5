import { compileWorkflow, validateInput } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { schemaFaults } from "../src/input-schema-policy.ts";

const a = { id: "a", agent: "x" };

function compiled(input: unknown) {
  return compileWorkflow({ name: "w", tasks: [a], input });
}

/** `code pointer` of every fault of a run's input. */
function faults(schema: unknown, input: unknown): readonly string[] {
  const answer = compiled(schema);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  return validateInput(answer.workflow, input).map(({ code, pointer }) => `${code} ${pointer}`);
}

describe("what an input schema may say", () => {
  it.each(["properties", "$defs", "definitions", "dependentSchemas"])(
    "under %s, names that keywords have as well",
    (keyword) => {
      expect(schemaFaults({ [keyword]: { pattern: { type: "string" } } })).toEqual([]);
    },
  );

  it.each(["$defs", "definitions"])(
    "in %s as much as it likes: it counts where it is used",
    (keyword) => {
      const anyOf = Array.from({ length: 1500 }, () => ({ type: "string" }));
      const $ref = `#/${keyword}/large`;
      const schema = { [keyword]: { large: { anyOf } }, properties: { one: { $ref } } };
      expect(schemaFaults(schema)).toEqual([]);
      const twice = { ...schema, properties: { one: { $ref }, two: { $ref } } };
      expect(schemaFaults(twice)).toMatchObject([{ pointer: "" }]);
    },
  );

  it("keywords that nobody knows, and formats: they are notes", () => {
    const schema = { "x-note": 1, properties: { at: { format: "date-time", "x-note": [] } } };
    expect(faults(schema, { at: "noon" })).toEqual([]);
  });
});

describe("what an input schema may not say breaks nothing", () => {
  it.each<[string, object, readonly string[]]>([
    ["a reference that is no text", { $ref: 3 }, ["/$ref"]],
    ["a reference into a text", { title: "t", $ref: "#/title/length" }, ["/$ref"]],
    ["a reference into nothing", { const: null, $ref: "#/const/x" }, ["/$ref"]],
    ["a reference that is no URI", { $ref: "#/%" }, ["/$ref"]],
    ["nothing for a schema", { properties: { x: null } }, []],
  ])("%s", (_, schema, pointers) => {
    expect(
      schemaFaults(schema as Readonly<Record<string, unknown>>).map(({ pointer }) => pointer),
    ).toEqual(pointers);
    expect(compiled(schema)).toMatchObject({ ok: false });
  });

  it("a name that is no URI may be referred to as it is written", () => {
    expect(schemaFaults({ $defs: { "100%": {} }, $ref: "#/$defs/100%" })).toEqual([]);
  });
});

it("a field that another one needs is told as a fault of the whole", () => {
  expect(faults({ dependentRequired: { a: ["b"] } }, { a: 1 })).toEqual(["invalid_value "]);
});
