import { TableClock, Watches } from "@bridle/watchdog";
import { expect, it } from "vitest";

import { addInline, countLoopTurn } from "../src/scanner/kill-orders.ts";
import { ScanDuty } from "../src/scanner/scan-duty.ts";
import { scannerBuffers, scannerMemory } from "../src/scanner/scanner-memory.ts";

/** The scanning side on a clock that is moved by hand, with a main loop that turns when it is told to. */
function dutyWorld({ isEnding = true } = {}) {
  let nowMs = 0;
  const memory = scannerMemory(scannerBuffers(4), 4);
  const clock = new TableClock(memory.columns, () => nowMs);
  const config = { slots: 4, periodMs: 1000, answerWithinMs: 2000, mode: "enforce" } as const;
  const duty = new ScanDuty(memory.columns, memory.orders, {
    ...config,
    blockedAfterMs: isEnding ? 10_000 : undefined,
  });
  const watches = new Watches(memory.columns, clock);
  const second = (isTurning: boolean) => {
    nowMs += 1000;
    if (isTurning) countLoopTurn(memory.orders);
    return duty.turn(clock.passed());
  };
  duty.turn(clock.passed());
  return {
    memory,
    watches,
    skip: (ms: number): void => {
      nowMs += ms;
    },
    /** The reports of so many seconds. */
    seconds: (count: number, isTurning: boolean) =>
      Array.from({ length: count }, () => second(isTurning)),
  };
}

it("[B107][WD-12] while the main loop is held nobody is blamed for beats it could not take in; afterwards anew", () => {
  const { watches, seconds } = dutyWorld();
  const watch = watches.open({ id: "a", taskMs: 600_000, graceLeftMs: 0 });
  const saved = watches.open({ id: "saved", taskMs: 600_000, graceLeftMs: 0 });
  for (const each of [watch, saved]) each.beginStep({ kind: "llm", timeoutMs: 10_000 });
  seconds(5, true);

  const held = seconds(60, false);
  expect(held.flatMap(({ verdicts }) => verdicts)).toEqual([]);
  const [first] = seconds(1, true);
  expect(first).toMatchObject({ lagMs: 60_000, verdicts: [] });
  saved.endStep();
  const afterwards = seconds(5, true).flatMap(({ verdicts }) => verdicts);

  expect(afterwards).toMatchObject([{ kind: "step_timeout", slot: watch.ref.slot }]);
});

it("[WD-20][WD-13] a task timeout stands also while the main loop is held: the loop is named as silent", () => {
  const { watches, seconds } = dutyWorld();
  watches.open({ id: "a", taskMs: 10_000, graceLeftMs: 0 });

  const held = seconds(14, false);

  expect(held.flatMap(({ verdicts }) => verdicts)).toMatchObject([
    { kind: "task_timeout", layer: "event_loop" },
  ]);
});

it("a loop blocked by an inline task for ten seconds is reported as blocked, at that bound", () => {
  const { memory, seconds } = dutyWorld();
  addInline(memory.orders, 1);
  seconds(3, true);

  expect(seconds(9, false).map(({ blockedMs }) => blockedMs)).toEqual(
    Array.from({ length: 9 }, () => undefined),
  );
  expect(seconds(1, false)).toMatchObject([{ blockedMs: 10_000 }]);
});

it.each([
  { inline: 0, isEnding: true, why: "no inline task is open" },
  { inline: 1, isEnding: false, why: "only reports are wanted" },
])("a blocked loop ends nothing when $why", ({ inline, isEnding }) => {
  const spared = dutyWorld({ isEnding });
  const control = dutyWorld();
  if (inline > 0) addInline(spared.memory.orders, 1);
  addInline(control.memory.orders, 1);
  const isBlocked = (world: typeof control): boolean =>
    world.seconds(60, false).some(({ blockedMs }) => blockedMs !== undefined);

  expect([isBlocked(spared), isBlocked(control)]).toEqual([false, true]);
});

it("[WD-12] a machine that slept is no blocked loop", () => {
  const { memory, seconds, skip } = dutyWorld();
  addInline(memory.orders, 1);
  seconds(3, true);

  skip(3_600_000);
  const [woken, ...after] = seconds(5, false);

  expect(woken).toMatchObject({ gapMs: 3_601_000, blockedMs: undefined });
  expect(after.map(({ blockedMs, lagMs }) => [blockedMs, lagMs])).toEqual(
    after.map(() => [undefined, 0]),
  );
});

it("[B107] after a gap nobody is judged by beats before the main loop has turned as well", () => {
  const { watches, seconds, skip } = dutyWorld();
  watches.open({ id: "a", taskMs: 600_000, graceLeftMs: 0 }).beginStep({
    kind: "llm",
    timeoutMs: 3000,
  });
  seconds(2, true);
  skip(60_000);

  const held = seconds(30, false);
  expect(held.flatMap(({ verdicts }) => verdicts)).toEqual([]);
  const turning = seconds(3, true);

  expect(turning.flatMap(({ verdicts }) => verdicts)).toMatchObject([{ kind: "step_timeout" }]);
});

it("[WD-12] a lag that a gap falls into is told without the gap", () => {
  const { seconds, skip } = dutyWorld();
  seconds(2, true);
  seconds(5, false);
  skip(60_000);

  seconds(3, false);

  expect(seconds(1, true)).toMatchObject([{ lagMs: 7000 }]);
});
