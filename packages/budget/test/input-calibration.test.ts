import { CalibrationBook, initialCalibration, reduceCalibration } from "@bridle/budget";
import type { CalibrationState } from "@bridle/budget";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const after = (settles: number, ratio: number, from = initialCalibration): CalibrationState =>
  Array.from({ length: settles }).reduce<CalibrationState>(
    (state) => reduceCalibration(state, { estimate: 1000, actual: 1000 * ratio }),
    from,
  );

describe("[BU-15] the calibration of a model's estimates", () => {
  it("leaves them as they are for 49 settles, and follows what was billed from the 50th", () => {
    expect(after(49, 0.7).scaleMilli).toBe(1000);
    expect(after(50, 0.7).scaleMilli).toBe(714);
  });

  it("raises them at once when one was too low", () => {
    expect(after(1, 1.3).scaleMilli).toBe(1326);
    expect(after(1, 1.3, after(60, 0.7)).scaleMilli).toBe(1326);
  });

  it("keeps to the densest text of the last 200, and forgets it after them", () => {
    const dense = after(1, 1.2, after(60, 0.7));
    expect(after(199, 0.7, dense).scaleMilli).toBe(1224);
    expect(after(200, 0.7, dense).scaleMilli).toBe(714);
  });

  it.each([
    [0.1, 500],
    [9, 2000],
  ])("never scales beyond a half and twice: %d", (ratio, scaleMilli) => {
    expect(after(60, ratio).scaleMilli).toBe(scaleMilli);
  });

  it("learns nothing from short inputs, nor from what is no count", () => {
    const samples = [
      { estimate: 199, actual: 900 },
      { estimate: Number.NaN, actual: 900 },
      { estimate: 1000, actual: Number.NaN },
      { estimate: 1000, actual: -5 },
      { estimate: 1000, actual: 0 },
      { estimate: 1000, actual: 1500.5 },
    ];
    expect(samples.reduce(reduceCalibration, initialCalibration)).toEqual(initialCalibration);
    const short = reduceCalibration(initialCalibration, { estimate: 200, actual: 210 });
    expect(short.settles).toBe(1);
  });

  it("once known, covers everything that the last 200 calls were billed", () => {
    const ratio = fc.double({ min: 0.5, max: 1.9, noNaN: true });
    fc.assert(
      fc.property(fc.array(ratio, { minLength: 50, maxLength: 300 }), (ratios) => {
        const actuals = ratios.map((value) => Math.round(value * 1000));
        const { scaleMilli } = actuals.reduce(
          (state, actual) => reduceCalibration(state, { estimate: 1000, actual }),
          initialCalibration,
        );
        expect(scaleMilli).toBeGreaterThanOrEqual(Math.max(...actuals.slice(-200)));
      }),
    );
  });

  it("is each name's own", () => {
    const book = new CalibrationBook();
    book.settled("counted a/b", { estimate: 1000, actual: 1500 });
    expect([book.of("counted a/b"), book.of("estimated a/b")]).toEqual([1.53, 1]);
  });
});
