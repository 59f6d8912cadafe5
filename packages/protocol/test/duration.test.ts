import { durationSchema, parseDuration } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("a duration", () => {
  test.each([
    ["90s", 90_000],
    ["10m", 600_000],
    ["1h30m", 5_400_000],
    ["250ms", 250],
    ["1.5s", 1500],
    ["1.25s", 1250],
    ["2d", 172_800_000],
  ])("%s is %d ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    "90",
    "",
    "s",
    "-5s",
    "10 m",
    "1h 30m",
    "Infinity",
    "NaNs",
    "1e3s",
    "٣s",
    "10S",
    "367d",
  ])('"%s" is refused', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test("is the sum of its parts", () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(59), fc.nat(59), (hours, minutes, seconds) => {
        expect(parseDuration(`${hours}h${minutes}m${seconds}s`)).toBe(
          ((hours * 60 + minutes) * 60 + seconds) * 1000,
        );
      }),
    );
  });

  test.each([[90], [null], [undefined], [{}]])(
    "%s without a unit is refused with the three ways to write one",
    (value) => {
      expect(durationSchema.safeParse(value).error?.issues[0]?.message).toContain(
        "90s, 10m or 1h30m",
      );
    },
  );

  test("a refusal shows the value it refused", () => {
    expect(durationSchema.safeParse("90").error?.issues[0]).toMatchObject({
      code: "custom",
      message: expect.stringContaining('"90"') as unknown,
    });
  });
});
