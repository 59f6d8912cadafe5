import { describe, expect, it } from "vitest";

import { suggest } from "../src/suggest.ts";

describe("[S2] the word that was probably meant", () => {
  it.each([
    ["one slip in a short word", "cot", "cat"],
    ["not two", "cog", undefined],
    ["two slips in a word of four to eight letters", "serach", "search"],
    ["two letters missing", "sear", "search"],
    ["not three", "sxxxch", undefined],
    ["three in a longer one", "trnsltion", "translation"],
    ["not four", "trnsltin_", undefined],
    ["whatever the case", "SEARCH", "search"],
    ["a letter too many at its front", "xsearch", "search"],
    ["nothing for an empty word", "", undefined],
  ])("%s", (_, word, meant) => {
    expect(suggest(word, ["cat", "search", "translation"])).toBe(meant);
  });

  it("is the nearest; of equally near ones the first", () => {
    expect(suggest("report", ["reporter", "reports", "rapport"])).toBe("reports");
    expect(suggest("bat", ["cat", "hat"])).toBe("cat");
    expect(suggest("report", [])).toBeUndefined();
  });

  it("of a word without end only the beginning is looked at", () => {
    expect(suggest("x".repeat(100_000), ["x".repeat(64)])).toBe("x".repeat(64));
  });
});
