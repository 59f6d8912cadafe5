import { describe, expect, it } from "vitest";

import { afterTry, pauseAfter } from "../src/after-try.ts";
import { alertDeskDefaults, resolveDeskSettings } from "../src/desk-settings.ts";

const settings = { firstPauseMs: 5000, longestPauseMs: 3_600_000, maxAttempts: 20 };
const first = { attempts: 0, at: 1000, chance: 1 };

describe("how a try is booked", () => {
  it.each([200, 201, 202, 204, 299])("[E4] %d is a delivery", (status) => {
    expect(afterTry({ ...first, answer: { status } }, settings)).toEqual({
      status: "delivered",
      at: 1000,
    });
  });

  it.each([199, 301, 302, 307, 400, 401, 404, 429, 500, 503])(
    "[E4] %d is tried again",
    (status) => {
      expect(afterTry({ ...first, answer: { status } }, settings)).toEqual({
        status: "pending",
        nextAt: 6000,
        error: `The receiver answered ${status}.`,
      });
    },
  );

  it("[E4] 410 is the receiver's last word", () => {
    const outcome = afterTry({ ...first, answer: { status: 410 } }, settings);
    expect(outcome).toEqual({ status: "dead", error: "The receiver answered 410." });
  });

  it("[E4] no answer is tried again, and says so", () => {
    const outcome = afterTry({ ...first, answer: { fault: "Not reached." } }, settings);
    expect(outcome).toMatchObject({ status: "pending", error: "Not reached." });
  });

  it("[E4] the last try is the last", () => {
    const answer = { status: 500 };
    expect(afterTry({ ...first, attempts: 18, answer }, settings).status).toBe("pending");
    expect(afterTry({ ...first, attempts: 19, answer }, settings).status).toBe("dead");
  });

  it("[E4] the receiver may ask for a longer pause, not for a shorter one nor one without end", () => {
    const asking = (retryAfterMs: number) =>
      afterTry({ ...first, answer: { status: 429, retryAfterMs } }, settings);
    expect(asking(60_000)).toMatchObject({ nextAt: 61_000 });
    expect(asking(1)).toMatchObject({ nextAt: 6000 });
    expect(asking(1e12)).toMatchObject({ nextAt: 3_601_000 });
  });

  it("[E4] the pauses double up to an hour, half of each by chance", () => {
    const pauses = [0, 1, 2, 9, 10, 1000].map((failures) => [
      pauseAfter(failures, 0, settings),
      pauseAfter(failures, 1, settings),
    ]);
    expect(pauses).toEqual([
      [2500, 5000],
      [5000, 10_000],
      [10_000, 20_000],
      [1_280_000, 2_560_000],
      [1_800_000, 3_600_000],
      [1_800_000, 3_600_000],
    ]);
  });

  it("the defaults bridge a night: the last try comes 5 to 10 hours after the first", () => {
    const sum = (chance: number) =>
      Array.from({ length: alertDeskDefaults.maxAttempts - 1 }, (_, failures) =>
        pauseAfter(failures, chance, alertDeskDefaults),
      ).reduce((total, ms) => total + ms, 0) / 3_600_000;
    expect(sum(0)).toBeGreaterThan(5);
    expect(sum(1)).toBeGreaterThan(10);
    expect(sum(1)).toBeLessThan(11);
  });

  it.each([0, -1, 1.5, Number.NaN])("a setting of %s is refused by its name", (repeatMs) => {
    expect(() => resolveDeskSettings({ repeatMs })).toThrow(/^repeatMs must be/);
  });
});
