import { getEventListeners } from "node:events";

import { sleep } from "@bridle/kernel";
import { systemClock } from "@bridle/kernel/system";
import { SimulatedClock } from "@bridle/kernel/testing";
import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => {
  vi.useRealTimers();
});

describe("a simulated clock", () => {
  test("fires timers in order of due time, then of arming", () => {
    const clock = new SimulatedClock();
    const fired: string[] = [];
    clock.setTimer(20, () => fired.push("late"));
    clock.setTimer(10, () => fired.push("first"));
    clock.setTimer(10, () => fired.push("second"));
    clock.advance(20);
    expect(fired).toEqual(["first", "second", "late"]);
  });

  test("fires a timer that another one armed on the way, at its own time", () => {
    const clock = new SimulatedClock();
    const firedAt: number[] = [];
    clock.setTimer(10, () => clock.setTimer(5, () => firedAt.push(clock.monotonicMs())));
    clock.advance(100);
    expect(firedAt).toEqual([15]);
    expect(clock.monotonicMs()).toBe(100);
  });

  test("keeps a cancelled timer silent and does not count it as pending", () => {
    const clock = new SimulatedClock();
    const fired: string[] = [];
    clock.setTimer(1, () => fired.push("kept"));
    clock.setTimer(1, () => fired.push("cancelled")).cancel();
    expect(clock.pendingTimers).toBe(1);
    clock.advance(1);
    expect(fired).toEqual(["kept"]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("moves wall time alone when an operator sets the clock", () => {
    const clock = new SimulatedClock({ wallStartMs: 1000 });
    clock.jumpWall(-600);
    expect([clock.wallMs(), clock.monotonicMs()]).toEqual([400, 0]);
  });

  test("lets promise chains arm their next timer within one asynchronous advance", async () => {
    const clock = new SimulatedClock();
    const wokenAt: number[] = [];
    const chain = (async () => {
      for (let round = 0; round < 3; round += 1) {
        // oxlint-disable-next-line no-await-in-loop -- the chain is what is tested
        await sleep({ clock, ms: 10 });
        wokenAt.push(clock.monotonicMs());
      }
    })();
    await clock.advanceAsync(30);
    await chain;
    expect(wokenAt).toEqual([10, 20, 30]);
  });
});

describe("sleeping", () => {
  test("ends at once with the abort's own reason and leaves no timer", async () => {
    const clock = new SimulatedClock();
    const controller = new AbortController();
    const reason = new Error("cancelled by its run");
    const sleeping = sleep({ clock, ms: 60_000, signal: controller.signal });
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  test("does not begin when the signal was aborted before", async () => {
    const clock = new SimulatedClock();
    await expect(
      sleep({ clock, ms: 1, signal: AbortSignal.abort(new Error("too late")) }),
    ).rejects.toThrow("too late");
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("what a sleep leaves on its signal", () => {
  test.each(["wakes", "is aborted"])(
    "is nothing once it %s: a run's signal sees thousands",
    async (how) => {
      const clock = new SimulatedClock();
      const controller = new AbortController();
      const sleeping = sleep({ clock, ms: 10, signal: controller.signal });
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);

      if (how === "wakes") clock.advance(10);
      else controller.abort(new Error("enough"));
      await sleeping.catch(() => undefined);

      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    },
  );
});

describe("the system clock", () => {
  test("[GC-1] waits out a timer longer than 2^31-1 ms instead of firing it at once", () => {
    vi.useFakeTimers();
    const fired: string[] = [];
    systemClock.setTimer(2 ** 31 + 5000, () => fired.push("long"));
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(5001);
    expect(fired).toEqual(["long"]);
  });

  test("forgets a long timer that is cancelled after its first slice", () => {
    vi.useFakeTimers();
    const fired: string[] = [];
    const timer = systemClock.setTimer(2 ** 31 + 5000, () => fired.push("long"));
    vi.advanceTimersByTime(2 ** 31 - 1);
    timer.cancel();
    vi.advanceTimersByTime(10_000);
    expect(fired).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
