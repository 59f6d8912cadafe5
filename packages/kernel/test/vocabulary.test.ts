import { CodedError, RingBuffer, assertNever } from "@bridle/kernel";
import { systemIds, systemRandom } from "@bridle/kernel/system";
import { seededRandom, sequenceIds } from "@bridle/kernel/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("a ring buffer", () => {
  test("holds the newest values, oldest first, whatever was pushed before", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.integer()), (capacity, values) => {
        const ring = new RingBuffer<number>(capacity);
        for (const value of values) ring.push(value);
        expect(ring.toArray()).toEqual(values.slice(-capacity));
        expect(ring.size).toBe(Math.min(capacity, values.length));
      }),
    );
  });

  test("hands back the value that had to leave", () => {
    const ring = new RingBuffer<string>(2);
    expect([ring.push("a"), ring.push("b"), ring.push("c")]).toEqual([undefined, undefined, "a"]);
  });

  test("starts over after it was cleared", () => {
    const ring = new RingBuffer<string>(2);
    for (const value of ["a", "b", "c"]) ring.push(value);
    ring.clear();
    ring.push("d");
    expect(ring.toArray()).toEqual(["d"]);
  });

  test.each([0, -1, 1.5, Number.NaN])("refuses a capacity of %s", (capacity) => {
    expect(() => new RingBuffer(capacity)).toThrow(`not ${capacity}`);
  });
});

describe("a coded error", () => {
  const error = new CodedError({
    code: "store_full",
    message: "The disk is full.",
    retryable: true,
    status: 507,
    details: { folder: "x" },
    cause: "ENOSPC",
  });

  test("carries code, retryability, status, facts and cause", () => {
    expect(error).toMatchObject({
      code: "store_full",
      retryable: true,
      status: 507,
      details: { folder: "x" },
      cause: "ENOSPC",
    });
  });

  test("is recognised by its shape, also when another copy of the package made it", () => {
    const foreign = Object.assign(new Error("x"), { name: "CodedError", code: "x" });
    expect(
      [error, foreign, new Error("plain"), "text", null].map((value) => CodedError.is(value)),
    ).toEqual([true, true, false, false, false]);
  });
});

describe("what is no coded error", () => {
  test("an error of another name, though it has a code, and one of that name without a code", () => {
    const ofNode = Object.assign(new Error("no such file"), { code: "ENOENT" });
    const codeless = Object.assign(new Error("x"), { name: "CodedError", code: 7 });
    expect([ofNode, codeless].map((value) => CodedError.is(value))).toEqual([false, false]);
  });

  test("an error without a cause does not claim to have one", () => {
    const fields = { code: "x", message: "x", retryable: false, status: 500 };
    expect("cause" in new CodedError(fields)).toBe(false);
    expect("cause" in new CodedError({ ...fields, cause: null })).toBe(true);
  });
});

function draw(seed: number): readonly number[] {
  const random = seededRandom(seed);
  return Array.from({ length: 5 }, () => random.next());
}

describe("chance and identifiers", () => {
  test("a seed gives the same sequence again, and another seed another", () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test("draws lie in [0, 1)", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const source of [seededRandom(seed), systemRandom]) {
          const value = source.next();
          expect(value >= 0 && value < 1).toBe(true);
        }
      }),
    );
  });

  test("system ids are safe in URLs, file names and queue job ids, and do not repeat", () => {
    const ids = Array.from({ length: 1000 }, () => systemIds.next("run"));
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids) expect(id).toMatch(/^run_[A-Za-z0-9]{16}$/);
  });

  test("sequence ids count up so that a failing test can be read", () => {
    const ids = sequenceIds();
    expect([ids.next("run"), ids.next("hold")]).toEqual(["run_1", "hold_2"]);
  });
});

test("an unhandled case names the value it met", () => {
  expect(() => assertNever({ type: "new" } as never)).toThrow('{"type":"new"}');
});
