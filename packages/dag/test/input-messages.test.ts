import { compileWorkflow, validateInput } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { schemaFaults } from "../src/input-schema-policy.ts";

const a = { id: "a", agent: "x" };

/** `pointer: message` of every fault of a schema. */
function told(input: unknown): readonly string[] {
  const answer = compileWorkflow({ name: "w", tasks: [a], input });
  return answer.ok ? [] : answer.issues.map(({ pointer, message }) => `${pointer}: ${message}`);
}

describe("what whoever submits a run is told about its input", () => {
  function toldOf(schema: unknown, input: unknown): readonly string[] {
    const answer = compileWorkflow({ name: "w", tasks: [a], input: schema });
    if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
    return validateInput(answer.workflow, input).map(
      ({ pointer, code, message }) => `${pointer} ${code}: ${message}`,
    );
  }

  it("what is missing, what is not expected, and what is wrong, at its place", () => {
    const schema = {
      properties: {
        in: {
          required: ["a/b"],
          properties: { n: { type: "number" } },
          additionalProperties: false,
        },
      },
    };
    expect(toldOf(schema, { in: { n: "1", "c~d": 1 } }).toSorted()).toEqual([
      '/in/a~1b required: "a/b" is missing.',
      '/in/c~0d unknown_key: "c~d" is not expected.',
      "/in/n invalid_value: It must be number.",
    ]);
    expect(toldOf({ unevaluatedProperties: false }, { x: 1 })).toEqual([
      '/x unknown_key: "x" is not expected.',
    ]);
  });

  it("a pinned schema that no longer compiles is a broken promise, told with the workflow's name", () => {
    const answer = compileWorkflow({ name: "w", tasks: [a] });
    if (!answer.ok) throw new Error("It is a workflow.");
    const pinned = { ...answer.workflow, inputSchema: { type: "objekt" } };
    expect(() => validateInput(pinned, {})).toThrow(
      "The input schema of w was accepted once and no longer compiles: It must be equal to one of the allowed values",
    );
  });
});

describe("what the author of an input schema is told", () => {
  const onlyRefs = "Only $ref to a place in this schema is supported";
  it.each<[string, object, readonly string[]]>([
    [
      "pattern",
      { pattern: "a" },
      [
        "/input/pattern: pattern is not supported: a regular expression can block the server. Use enum, minLength or maxLength.",
      ],
    ],
    [
      "patternProperties",
      { patternProperties: {} },
      [
        "/input/patternProperties: patternProperties is not supported: a regular expression can block the server.",
      ],
    ],
    ["$dynamicRef", { $dynamicRef: "#x" }, [`/input/$dynamicRef: ${onlyRefs}.`]],
    ["$recursiveRef", { $recursiveRef: "#" }, [`/input/$recursiveRef: ${onlyRefs}.`]],
    [
      "$id",
      { $id: "x" },
      ["/input/$id: $id is not supported: the schema has no other name than its workflow."],
    ],
    [
      "$anchor",
      { $anchor: "x" },
      [
        "/input/$anchor: $anchor is not supported; use $ref with a JSON pointer, such as #/$defs/name.",
      ],
    ],
    [
      "uniqueItems of objects, in a list of schemas",
      { anyOf: [{ uniqueItems: true }] },
      [
        "/input/anyOf/0/uniqueItems: uniqueItems needs items of type string, number, integer or boolean.",
      ],
    ],
    [
      "a reference to elsewhere",
      { $ref: "x" },
      [`/input/$ref: ${onlyRefs}, such as #/$defs/name.`],
    ],
    ["a reference to nothing", { $ref: "#/x" }, ["/input/$ref: There is nothing at #/x."]],
    ["a circle", { $ref: "#" }, ["/input: The schema refers to itself, which is not supported."]],
    [
      "the same, under a name of the author's",
      { $defs: { pattern: { properties: { "a/b": { pattern: "x" } } } } },
      [
        "/input/$defs/pattern/properties/a~1b/pattern: pattern is not supported: a regular expression can block the server. Use enum, minLength or maxLength.",
      ],
    ],
  ])("%s", (_, input, expected) => {
    expect(told(input)).toEqual(expected);
  });

  it.each(["string", "number", "integer", "boolean"])(
    "a list of unique %ss may be asked for",
    (type) => {
      expect(told({ items: { type }, uniqueItems: true })).toEqual([]);
    },
  );

  it.each(["const", "default", "examples", "enum"])(
    "what stands in %s is a value and no schema",
    (key) => {
      const value = { pattern: "x", $ref: "elsewhere" };
      const isList = key === "examples" || key === "enum";
      expect(told({ [key]: isList ? [value] : value })).toEqual([]);
    },
  );

  it("uniqueItems: false asks for nothing, and a reference finds names with blanks and slashes", () => {
    expect(told({ uniqueItems: false })).toEqual([]);
    const $defs = { "a b/c~d": { type: "string" }, "100%": { type: "string" } };
    const properties = { x: { $ref: "#/$defs/a%20b~1c~0d" }, y: { $ref: "#/$defs/100%25" } };
    expect(told({ $defs, properties })).toEqual([]);
  });

  it("[B149] 2,000 places written out are the limit", () => {
    const places = (count: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: count - 2 }, (_, index) => [`p${index}`, { type: "string" }]),
      ),
    });
    expect(schemaFaults(places(2000))).toEqual([]);
    expect(told(places(2001))).toEqual([
      "/input: With its references written out the schema has 2001 places; 2000 are the limit.",
    ]);
  });
});
