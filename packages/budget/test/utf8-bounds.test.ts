import { estimateTokens } from "@bridle/budget";
import { expect, it } from "vitest";

/** Where the number of bytes changes, the first and last halves of pairs, and an ordinary letter. */
const units = [
  0x41, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffff,
];

it("[BU-15] the bytes that cap an estimate are those of UTF-8, whatever stands beside whatever", () => {
  const texts = units.flatMap((first) =>
    units.flatMap((second) => units.map((third) => String.fromCharCode(first, second, third))),
  );

  const wrong = texts.filter(
    (text) => estimateTokens(text).most !== new TextEncoder().encode(text).length,
  );

  expect(texts).toHaveLength(12 ** 3);
  expect(wrong).toEqual([]);
});
