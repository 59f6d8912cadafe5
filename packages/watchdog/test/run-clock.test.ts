import {
  initialRunClock,
  isRunActive,
  reduceRunClock,
  selectRunDeadline,
  waitLimitsMs,
} from "@bridle/watchdog";
import type { RunClockEvent } from "@bridle/watchdog";
import fc from "fast-check";
import { expect, it } from "vitest";

const hour = 3_600_000;

function clockAfter(events: readonly RunClockEvent[]) {
  return events.reduce(reduceRunClock, initialRunClock(hour));
}

it("[WD-1][WD-3][W3] a run has an hour of active time: pauses move its deadline by their length", () => {
  const running = clockAfter([{ type: "active", at: 1000 }]);
  expect(selectRunDeadline(running)).toBe(1000 + hour);

  const paused = reduceRunClock(running, { type: "idle", at: 601_000 });
  expect(selectRunDeadline(paused)).toBeUndefined();
  const resumed = reduceRunClock(paused, { type: "active", at: 50 * hour });

  expect(selectRunDeadline(resumed)).toBe(50 * hour + hour - 600_000);
});

it("[WD-2] the run's clock never starts over, however often it is stopped and told to go", () => {
  const gaps = fc.array(
    fc.record({ activeMs: fc.nat(60_000), idleMs: fc.nat(1e9), again: fc.boolean() }),
  );
  fc.assert(
    fc.property(gaps, (spans) => {
      let at = 0;
      let activeMs = 0;
      const events: RunClockEvent[] = [];
      for (const span of spans) {
        events.push({ type: "active", at });
        if (span.again) events.push({ type: "active", at: at + span.activeMs });
        events.push({ type: "idle", at: at + span.activeMs });
        at += span.activeMs + span.idleMs;
        activeMs += span.activeMs;
      }
      const clock = reduceRunClock(clockAfter(events), { type: "active", at });
      expect(selectRunDeadline(clock)).toBe(at + hour - activeMs);
    }),
  );
});

it.each([
  { run: { isPaused: true, liveTasks: ["working"] }, active: false },
  { run: { isPaused: false, liveTasks: ["working", "parked"] }, active: true },
  { run: { isPaused: false, liveTasks: ["parked", "waits_for_approval"] }, active: false },
  { run: { isPaused: false, liveTasks: ["waits_for_approval"] }, active: false },
  { run: { isPaused: false, liveTasks: [] }, active: true },
] as const)("[WD-3] a run with $run runs its clock: $active", ({ run, active }) => {
  expect(isRunActive(run)).toBe(active);
});

it("[WD-3] what stops the run's clock has a limit of its own", () => {
  expect(waitLimitsMs).toEqual({
    approval: 7 * 24 * hour,
    parked: hour,
    paused: 30 * 24 * hour,
  });
});
