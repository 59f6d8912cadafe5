import { redacted } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRedactor } from "../src/redact.ts";

const secret = fc.string({ minLength: 8, maxLength: 60 }).filter((text) => text.trim().length >= 8);

describe("[B199] a credential is taken out of any text", () => {
  it.each<readonly [string, (text: string) => string]>([
    ["as it is", (text) => text],
    ["URL-encoded", (text) => encodeURIComponent(text)],
    ["JSON-escaped", (text) => JSON.stringify(text).slice(1, -1)],
    ["in base64", (text) => Buffer.from(text).toString("base64")],
    ["in base64url", (text) => Buffer.from(text).toString("base64url")],
    ["in hex", (text) => Buffer.from(text).toString("hex")],
    ["as password of Basic", (text) => Buffer.from(`:${text}`).toString("base64")],
  ])("%s", (_name, form) => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
        const echoed = form(key);
        expect(createRedactor([key])(`${before} ${echoed} ${after}`)).not.toContain(echoed);
      }),
    );
  });

  it("wherever in a text it stands when the text is echoed in base64, as a whole header is", () => {
    fc.assert(
      fc.property(secret, fc.constantFrom("Bearer ", "", ":", "ab", "u:"), (key, before) => {
        const echoed = Buffer.from(`${before}${key}`).toString("base64");
        const left = createRedactor([key])(`header ${echoed}`).match(/[\w+/=]+/g) ?? [];
        const read = left.map((text) => Buffer.from(text, "base64").toString()).join(" ");
        expect(read).not.toContain(key.slice(2, -2));
      }),
    );
  });

  it("as user of Basic with a password nobody told us", () => {
    fc.assert(
      fc.property(secret, fc.string(), (key, password) => {
        const echoed = Buffer.from(`${key}:${password}`).toString("base64");
        const left = createRedactor([key])(`Basic auth failed for ${echoed}`).split(" ").at(-1);
        expect(Buffer.from(left ?? "", "base64").toString()).not.toContain(key);
      }),
    );
  });

  it.each([
    ["Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted]"],
    ["Incorrect API key provided: sk-proj-***abcd.", `Incorrect API key provided: ${redacted}.`],
    ["GET /v1?key=abc&x=1", `GET /v1?key=${redacted}&x=1`],
  ])("also when it is not ours to know: %s", (text, expected) => {
    expect(createRedactor([])(text)).toBe(expected);
  });

  it("and nothing else is: short keys would blank out innocent words", () => {
    expect(createRedactor(["a"])("a banana")).toBe("a banana");
  });

  it("and what is left is cut short, so that no prompt travels in an error", () => {
    expect(createRedactor([])("x".repeat(10_000))).toHaveLength(501);
  });
});
