import { CodedError } from "@bridle/kernel";
import { secretMask } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { maskError, maskJson } from "../src/supervision/mask-secrets.ts";

const secret = 'tok/en "55\\19"';
const pin = "481516";
const mask = secretMask([secret, pin]);
const base64 = Buffer.from(`user:${secret}`).toString("base64");

describe("[B199] what comes back from a tool with secrets", () => {
  it("has none of them in its answer, in values, names, lists and numbers, and stays JSON", () => {
    const answer = {
      ok: true,
      headers: {
        authorization: `Bearer ${secret}`,
        [secret]: [encodeURIComponent(secret), base64],
      },
      pin: 481_516,
      count: 3,
      nothing: null,
    };
    expect(JSON.parse(maskJson(JSON.stringify(answer), mask))).toEqual({
      ok: true,
      headers: {
        authorization: "Bearer [redacted]",
        "[redacted]": ["[redacted]", expect.stringMatching(/^dXNlcj\w*\[redacted\]\w?=*$/)],
      },
      pin: "[redacted]",
      count: 3,
      nothing: null,
    });
  });

  it("is handed on as it is, to the byte, when it holds none", () => {
    const text = '{ "a" : 1.50, "b":"\\u0041" }';
    expect(maskJson(text, mask)).toBe(text);
    const error = new Error("no");
    expect(maskError(error, mask)).toBe(error);
    expect(maskError("no", mask)).toBe("no");
  });

  it("has none of them in its error, which keeps its code and status, not its cause", () => {
    const thrown = Object.assign(new Error(`401 for ${secret}`, { cause: new Error(secret) }), {
      code: "E_TOKEN",
      status: 401,
    });
    const masked = maskError(thrown, mask);
    expect(masked).toMatchObject({ message: "401 for [redacted]", code: "E_TOKEN", status: 401 });
    expect(masked).not.toHaveProperty("cause");
    expect(maskError(`thrown ${secret}`, mask)).toEqual(new Error("thrown [redacted]"));
    const named = maskError(Object.assign(new Error("no"), { code: secret }), mask);
    expect(named).toMatchObject({ code: "[redacted]" });
  });

  it("has none of them in the details of a coded error", () => {
    const error = new CodedError({
      code: "tool_failed",
      message: "It failed.",
      retryable: false,
      status: 502,
      details: { request: { url: `https://a.example/?key=${encodeURIComponent(secret)}` } },
    });
    expect(maskError(error, mask)).toMatchObject({
      code: "tool_failed",
      retryable: false,
      status: 502,
      details: { request: { url: "https://a.example/?key=[redacted]" } },
    });
  });
});
