import fc from "fast-check";
import { expect, it } from "vitest";

import { createRedactor } from "../src/index.ts";
import { written } from "./support.ts";

/** Has characters that each encoding treats in its own way. */
const secret = 'k9$+/"Zq vÜ?=&7x';
const url = encodeURIComponent(secret);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function leaks(text: string): readonly string[] {
  const hex = Buffer.from(secret).toString("hex");
  const forms = { plain: secret, url, json: JSON.stringify(secret).slice(1, -1), hex };
  return Object.entries(forms).flatMap(([name, form]) => (text.includes(form) ? [name] : []));
}

it("[B199] a registered secret leaves in no form: plain, URL-encoded, inside JSON, in base64 at any alignment", () => {
  const { logger, raw } = written({ redactor: createRedactor([secret]) });
  const echoes = {
    body: `401: ${secret} is not valid`,
    bodyJson: JSON.stringify({ error: { message: secret } }),
    location: `https://api.test/v1?q=${url}`,
    lower: url.toLowerCase(),
    alone: base64(secret),
    basic: [base64(`u:${secret}`), base64(`us:${secret}`), base64(`usr:${secret}:tail`)],
    urlSafe: Buffer.from(`u:${secret}`).toString("base64url"),
    hex: Buffer.from(secret).toString("hex"),
  };

  logger.error(`refused ${secret}`, echoes);

  const line = raw.join("");
  expect(leaks(line)).toEqual([]);
  const decoded = (line.match(/[\w+/-]{8,}/g) ?? []).map((text) =>
    Buffer.from(text, "base64").toString(),
  );
  expect(decoded.filter((text) => text.includes(secret.slice(2, 12)))).toEqual([]);
});

it("[B199] the control: without registration the same line would leak it", () => {
  const { logger, raw } = written();

  logger.error("refused", { body: `401: ${secret}` });

  expect(leaks(raw.join(""))).toEqual(["json"]);
});

it("[B199] secrets by name: whatever a field, header or pair so named holds", () => {
  const { logger, lines } = written();
  logger.info("request", {
    apiKey: "a-value",
    headers: { "X-Api-Key": "b-value", Authorization: "c-value", accept: "text/plain" },
    pairs: [["x-goog-api-key", "d-value"]],
    rawHeaders: ["Cookie", "e-value", "Host", "api.test"],
    config: { auth: { password: "f-value", access_token: ["g-value"] } },
    map: new Map([["client_secret", "h-value"]]),
    inputTokens: 17,
    maxTokens: 99,
    key: "tool:search",
  });

  const mask = "[redacted]";
  expect(lines()[0]).toMatchObject({
    apiKey: mask,
    headers: { "X-Api-Key": mask, Authorization: mask, accept: "text/plain" },
    pairs: [["x-goog-api-key", mask]],
    rawHeaders: ["Cookie", mask, "Host", "api.test"],
    config: { auth: { password: mask, access_token: mask } },
    map: { client_secret: mask },
    inputTokens: 17,
    maxTokens: 99,
    key: "tool:search",
  });
});

it.each([
  "Authorization: Bearer canary0123456789",
  "authorization: canary0123456789",
  "sent Basic Y2FuYXJ5MDEyMzQ1Njc4OQ==",
  "GET /v1/models?key=canary0123456789&alt=sse",
  "postgres://bridle:canary0123456789@db.test/app",
  "bad key sk-canary0123456789",
  "x-api-key: canary0123456789",
  'echo {"api_key": "canary0123456789"}',
  "brd_canary0123456789",
  "eyJhbGciOiJIUzI1.canary0123456789.c2ln",
])("[B199] what looks like a secret does not leave, though nobody registered it: %s", (text) => {
  const { logger, raw } = written();

  logger.warn("refused", { text });

  expect(raw.join("")).not.toMatch(/canary0123456789|Y2FuYXJ5MDEy/);
});

it("[B199] an error is searched to the end of its causes, with what clients hang on to it", () => {
  const { logger, raw, lines } = written({ redactor: createRedactor([secret]) });
  const cause = Object.assign(new Error(`inner ${secret}`), {
    config: { headers: { authorization: `Bearer ${secret}`, "x-trace": secret } },
  });
  const error = new Error("outer", { cause: new Error("middle", { cause }) });

  logger.error("model call failed", { error });

  expect(leaks(raw.join(""))).toEqual([]);
  expect(lines()[0]).toMatchObject({
    error: {
      name: "Error",
      message: "outer",
      cause: { message: "middle", cause: { message: "inner [redacted]" } },
    },
  });
});

it("[B199] a secret in a child's fields or in the name of a field does not leave", () => {
  const { logger, raw } = written({ redactor: createRedactor([secret]) });

  logger.child({ agent: secret, token: "t-value" }).info("hello", { [secret]: 1 });

  expect(leaks(raw.join(""))).toEqual([]);
  expect(raw.join("")).not.toContain("t-value");
});

it("[B199] a secret learned later is hidden from then on, and a long text hides it before it is cut", () => {
  const redactor = createRedactor();
  expect(redactor.text(secret)).toBe(secret);
  redactor.add(secret);

  const cut = redactor.text(`${"x".repeat(8185)}${secret}${"y".repeat(100)}`);

  expect(redactor.text(secret)).toBe("[redacted]");
  expect(cut).not.toContain(secret.slice(0, 4));
  expect(cut).toMatch(/ \(\d+ more\)$/);
});

it.each([
  "Basic configuration is missing",
  "the token limits were exceeded",
  "authorization: required",
  "breaker key=tool:search opened",
  "max_tokens=100 key: monkey",
  "see https://api.test/docs?page=2",
])("words are left alone: %s", (text) => {
  expect(createRedactor().text(text)).toBe(text);
});

it("texts too short to be secrets are not looked for: every line would be full of holes", () => {
  expect(createRedactor(["", "a", "abc"]).text("abcabc")).toBe("abcabc");
});

it("[B199] no text around it lets a secret through, in any encoding", () => {
  const redactor = createRedactor(["canary-0123456789-canary"]);
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (before, after) => {
      const whole = `${before}canary-0123456789-canary${after}`;
      expect(redactor.text(whole)).not.toContain("0123456789");
      expect(redactor.text(encodeURIComponent(whole))).not.toContain("0123456789");
      const decoded = (redactor.text(base64(whole)).match(/[\w+/=]+/g) ?? []).map((text) =>
        Buffer.from(text, "base64").toString(),
      );
      expect(decoded.join("")).not.toContain("0123456789");
    }),
  );
});

it("whatever it is given, it answers in bounded plain JSON and never throws", () => {
  const circular: Record<string, unknown> = { big: 10n, not: Number.NaN, bytes: Buffer.alloc(9) };
  circular["self"] = circular;
  circular["when"] = new Date(0);
  circular["broken"] = Object.defineProperty({}, "x", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  circular["many"] = Array.from({ length: 1000 }, (_none, index) => index);
  circular["call"] = () => undefined;

  const plain = createRedactor().value(circular) as Record<string, unknown>;

  expect(plain).toMatchObject({
    big: "10",
    not: "NaN",
    bytes: "[9 bytes]",
    self: "[circular]",
    when: "1970-01-01T00:00:00.000Z",
    broken: "[unreadable]",
  });
  expect(plain["many"]).toHaveLength(101);
  expect(createRedactor().value(nested(50))).toBeDefined();
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true, withDate: true }), (value) => {
      expect(() => JSON.stringify(createRedactor().value(value))).not.toThrow();
    }),
  );
});

function nested(depth: number): unknown {
  return depth === 0 ? "end" : { inside: nested(depth - 1) };
}
