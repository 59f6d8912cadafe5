import { SimulatedClock } from "@bridle/kernel/testing";
import fc from "fast-check";
import { expect, it } from "vitest";

import { Governor, rateGovernedError } from "../src/index.ts";
import type { GovernorOptions } from "../src/index.ts";
import { repeat } from "./support.ts";

function governed(options: Partial<GovernorOptions> = {}) {
  const clock = new SimulatedClock();
  return { clock, governor: new Governor({ clock, ...options }) };
}

const allowedOf = (governor: Governor, task = "run_1/plan"): boolean =>
  governor.admitCall(task).allowed;

it("[GV-1] [R1] ten calls go in a second, the eleventh is told when to come back", () => {
  const { clock, governor } = governed();
  repeat(10, () => {
    expect(allowedOf(governor)).toBe(true);
    clock.advance(10);
  });

  expect(governor.admitCall("run_1/plan")).toEqual({ allowed: false, retryAfterMs: 900 });
  clock.advance(899);
  expect(allowedOf(governor)).toBe(false);
  clock.advance(1);
  expect(allowedOf(governor)).toBe(true);
});

it("[GV-1] [R1] sixty calls go in a minute, however they are spread, and a success is a call too", () => {
  const { clock, governor } = governed();
  repeat(60, () => {
    expect(allowedOf(governor)).toBe(true);
    clock.advance(900);
  });

  expect(governor.admitCall("run_1/plan")).toEqual({ allowed: false, retryAfterMs: 6000 });
});

it("[GV-1] one task's rate is not another's", () => {
  const { governor } = governed();
  repeat(11, () => allowedOf(governor));

  expect(allowedOf(governor, "run_1/plan")).toBe(false);
  expect(allowedOf(governor, "run_1/write")).toBe(true);
});

it("[GV-1] runs are limited per API key, apart from calls", () => {
  const { clock, governor } = governed({ settings: { runsPerMinute: 3 } });
  repeat(3, () => expect(governor.admitRun("key-1").allowed).toBe(true));

  expect(governor.admitRun("key-1")).toEqual({ allowed: false, retryAfterMs: 60_000 });
  expect(governor.admitRun("key-2").allowed).toBe(true);
  expect(governor.admitCall("key-1").allowed).toBe(true);
  clock.advance(60_000);
  expect(governor.admitRun("key-1").allowed).toBe(true);
});

it("[GC-5] a call that a later guard refused is given back and was never counted", () => {
  const { governor } = governed();
  repeat(50, () => {
    const answer = governor.admitCall("run_1/plan");
    if (answer.allowed) answer.giveBack();
  });

  repeat(10, () => expect(allowedOf(governor)).toBe(true));
  expect(allowedOf(governor)).toBe(false);
});

it("[GC-5] giving back twice gives back once", () => {
  const { governor } = governed();
  const first = governor.admitCall("run_1/plan");
  repeat(9, () => allowedOf(governor));
  if (!first.allowed) throw new Error("expected the first call to be admitted");

  first.giveBack();
  first.giveBack();

  expect([allowedOf(governor), allowedOf(governor)]).toEqual([true, false]);
});

it("[GV-1] no window of a second or a minute ever holds more than its limit", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1500), { maxLength: 300 }), (gaps) => {
      const { clock, governor } = governed();
      const admitted: number[] = [];
      for (const gap of gaps) {
        clock.advance(gap);
        const now = clock.monotonicMs();
        const within = (ms: number): number => admitted.filter((at) => at > now - ms).length;
        const fits = within(1000) < 10 && within(60_000) < 60;
        expect(allowedOf(governor)).toBe(fits);
        if (fits) admitted.push(now);
      }
    }),
  );
});

it("[GC-4] warn counts what it would have refused, says so, and lets it go; off does not even count", () => {
  const warned = governed({ mode: "warn" });
  repeat(10, () => allowedOf(warned.governor));
  expect(warned.governor.admitCall("run_1/plan")).toMatchObject({
    allowed: true,
    wouldRefuseMs: 1000,
  });
  expect(warned.governor.counts).toEqual({ refused: 0, wouldRefuse: 1 });

  const off = governed({ mode: "off" });
  repeat(1000, () => expect(allowedOf(off.governor)).toBe(true));
  expect([off.governor.counts.wouldRefuse, off.governor.size]).toEqual([0, 0]);
});

it("a flood of tasks is forgotten once each was quiet for a minute", () => {
  const { clock, governor } = governed();
  repeat(1024, (index) => allowedOf(governor, `run_${index}/plan`));
  expect(governor.size).toBe(1024);
  clock.advance(60_000);

  allowedOf(governor, "run_new/plan");

  expect(governor.size).toBe(1);
});

it("tasks that are still busy are kept through such a cleaning", () => {
  const { clock, governor } = governed();
  repeat(1024, (index) => allowedOf(governor, `run_${index}/plan`));
  clock.advance(59_999);
  allowedOf(governor, "run_new/plan");

  expect(governor.size).toBe(1025);
});

it.each([{ callsPerMinute: 0 }, { callsPerSecond: 1.5 }, { runsPerHour: 3 }])(
  "a bad setting is refused at load: %j",
  (settings) => {
    expect(() => governed({ settings })).toThrowError(
      expect.objectContaining({ code: "config_invalid" }),
    );
  },
);

it("[GV-1] a refusal is the error rate_governed, retryable, with its time", () => {
  expect(rateGovernedError(900)).toMatchObject({
    code: "rate_governed",
    retryable: true,
    details: { retryAfterMs: 900 },
  });
});

it("[GV-1] a task that has ended for good is forgotten at once, and may be told so twice", () => {
  const { governor } = governed();
  allowedOf(governor);
  governor.forgetTask("run_1/plan");
  governor.forgetTask("run_1/plan");

  expect(governor.size).toBe(0);
});
