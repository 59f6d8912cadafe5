import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readRetryAfter, readShouldRetry } from "../src/index.ts";

const nowMs = Date.parse("Tue, 14 Nov 2023 22:13:20 GMT");

function after(value: string): number | undefined {
  return readRetryAfter({ "retry-after": value }, nowMs);
}

describe("[L11] [B004] Retry-After is read", () => {
  it("in seconds, whole or not", () => {
    expect([after("7"), after("1.5"), after("1.25"), after(" 7 ")]).toEqual([
      7000, 1500, 1250, 7000,
    ]);
  });

  it("as an HTTP date, against the given clock", () => {
    expect(after("Tue, 14 Nov 2023 22:14:50 GMT")).toBe(90_000);
  });

  it("in milliseconds, which win over seconds", () => {
    expect(readRetryAfter({ "retry-after-ms": "250", "retry-after": "9" }, nowMs)).toBe(250);
  });

  it("with any spelling of the header's name", () => {
    expect(readRetryAfter({ "Retry-After": "9" }, nowMs)).toBe(9000);
  });

  it("falls back to seconds when the milliseconds are junk", () => {
    expect(readRetryAfter({ "retry-after-ms": "soon", "retry-after": "9" }, nowMs)).toBe(9000);
  });

  it.each([
    "",
    "0",
    "-5",
    "abc",
    "abc 1",
    "NaN",
    "0x10",
    "1e3",
    "Infinity",
    "1e309",
    "9".repeat(400),
  ])("[B005] not at all from %j, so that our own backoff decides", (value) => {
    expect(after(value)).toBeUndefined();
  });

  it.each([
    "Tue, 14 Nov 2023 22:13:19 GMT",
    "Tue, 14 Nov 99999 22:13:20 GMT",
    "Tue, 99 Nov 2023 22:13:20 GMT",
    "2023-11-14T22:14:50Z",
    "on Tue, 14 Nov 2023 22:14:50 GMT",
    "Tue, 14 Nov 2023 22:14:50 GMT-0100",
  ])("[B005] not from the date %s", (value) => {
    expect(after(value)).toBeUndefined();
  });

  it("[B007] beyond what a timer can hold, without overflow", () => {
    expect(after("2200000")).toBe(2_200_000_000);
    expect(after("Thu, 14 Dec 2023 22:13:20 GMT")).toBe(30 * 86_400_000);
  });

  it("as a positive finite number or not at all, and never throws", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const ms = after(value);
        expect(ms === undefined || (Number.isFinite(ms) && ms > 0)).toBe(true);
      }),
    );
  });

  it("as nothing where there are no headers", () => {
    expect([readRetryAfter(undefined, nowMs), readRetryAfter({}, nowMs)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

function read(value: string): boolean | undefined {
  return readShouldRetry({ "x-should-retry": value });
}

it("x-should-retry is true, false or nothing", () => {
  expect([read("true"), read("False"), read("maybe"), readShouldRetry(undefined)]).toEqual([
    true,
    false,
    undefined,
    undefined,
  ]);
});
