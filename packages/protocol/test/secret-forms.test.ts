import { Buffer } from "node:buffer";

import { redacted, secretForms, secretMask } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const secret = 'sk-ä/+"K3y?~';

describe("the forms of a secret", () => {
  test("are what it looks like wherever texts are written, the longest first", () => {
    const hex = Buffer.from(secret).toString("hex");
    const forms = secretForms(secret);
    expect(forms).toEqual(
      expect.arrayContaining([
        secret,
        encodeURIComponent(secret),
        encodeURIComponent(secret)
          .replaceAll("%C3%A4", "%c3%a4")
          .replaceAll("%2F%2B%22", "%2f%2b%22")
          .replaceAll("%3F", "%3f"),
        'sk-ä/+\\"K3y?~',
        hex,
        hex.toUpperCase(),
      ]),
    );
    const lengths = forms.map(({ length }) => length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => other - one));
    expect(new Set(forms).size).toBe(forms.length);
  });

  test("every byte has two digits in hex", () => {
    expect(secretForms("\n\u0001ab")).toContain("0a016162");
  });

  test.each(["base64", "base64url"] as const)(
    "are in its %s whatever stands before and after it",
    (encoding) => {
      fc.assert(
        fc.property(
          fc.string({ unit: "binary", minLength: 9, maxLength: 40 }),
          fc.string({ maxLength: 7 }),
          fc.string({ maxLength: 7 }),
          (each, before, after) => {
            const text = Buffer.from(before + each + after).toString(encoding);
            expect(secretForms(each).some((form) => text.includes(form))).toBe(true);
          },
        ),
      );
    },
  );

  test("base64 of it is whole but for what the bytes around it change", () => {
    expect(new Set(secretForms("secrets"))).toEqual(
      new Set(["73656372657473", "c2VjcmV0c", "NlY3JldH", "zZWNyZXRz", "secrets"]),
    );
  });

  test("pieces of base64 under eight characters are none: they turn up by chance", () => {
    expect(secretForms("secret")).toEqual(["736563726574", "c2VjcmV0", "secret"]);
    expect(secretForms("abc")).toEqual(["616263", "abc"]);
  });
});

describe("a mask", () => {
  test("takes every form of every secret out, the longest first", () => {
    const mask = secretMask(["secret", "secret-long"]);
    expect(mask("a secret-long b secret c 736563726574 d c2VjcmV0")).toBe(
      `a ${redacted} b ${redacted} c ${redacted} d ${redacted}`,
    );
    expect(redacted).toBe("[redacted]");
  });

  test("leaves words alone that a secret of five letters would blank out", () => {
    expect(secretMask(["plain"])("a plain text")).toBe("a plain text");
    expect(secretMask(["plains"])("the plains")).toBe(`the ${redacted}`);
    expect(secretMask([])("the plains")).toBe("the plains");
  });
});
