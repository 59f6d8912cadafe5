import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonCopy } from "../src/testing/json-copy.ts";

const leaf = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constantFrom(null, undefined));
const { plain } = fc.letrec<{ readonly plain: unknown }>((tie) => ({
  plain: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("plain")),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("plain")),
  ),
}));

describe("a copy of what is stored", () => {
  it("is what comes back from JSON, whatever plain data it is", () => {
    fc.assert(
      fc.property(fc.record({ plain }), (value) => {
        expect(jsonCopy(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("is not changed by who changes the original", () => {
    const original = { list: [{ at: 1 }], evidence: { by: "a" } };
    const copy = jsonCopy(original);
    original.evidence.by = "b";
    original.list.push({ at: 2 });
    expect(copy).toEqual({ list: [{ at: 1 }], evidence: { by: "a" } });
  });
});
