import {
  after,
  elapsed,
  instantOf,
  VerdictScan,
  watchColumns,
  WatchTable,
  watchTableBytes,
} from "@bridle/watchdog";
import type { SlotClocksMs, Verdict } from "@bridle/watchdog";
import fc from "fast-check";
import { expect, it } from "vitest";

const clocks: SlotClocksMs = { taskMs: 60_000, stepMs: 20_000, graceMs: 0 };
const still = { status: "RUNNING", step: 1, token: 0, wait: undefined } as const;

function tableOf(slots: number) {
  const buffer = new SharedArrayBuffer(watchTableBytes(slots));
  const columns = watchColumns(buffer, slots);
  return {
    columns,
    table: new WatchTable(columns),
    // A view of its own, as a thread has it.
    scan: new VerdictScan({
      columns: watchColumns(buffer, slots),
      periodMs: 1000,
      mode: "enforce",
    }),
  };
}

function register(table: WatchTable, now: number) {
  const ref = table.register(clocks, now);
  if (ref === undefined) throw new Error("the table is full");
  return ref;
}

/** A stall, a step timeout, an expired wait and a task timeout, told in seconds from the table's start. */
function story(startMs: number): readonly (readonly [number, string])[] {
  const { table, scan } = tableOf(4);
  const at = (ms: number): number => instantOf(startMs + ms);
  const [stalling, stepping, waiting] = [0, 1, 2].map(() => register(table, at(0)));
  if (stalling === undefined || stepping === undefined || waiting === undefined) throw new Error();
  table.beginStep(stepping, { kind: "tool", timeoutMs: undefined, adaptive: false }, at(0));
  table.waiting(waiting, { on: 1, ms: 30_000, byBeat: false, onStore: false }, at(0));
  const told: [number, string][] = [];
  for (let second = 0; second < 100; second++) {
    table.beat(stalling, still, at(second * 1000));
    for (const { kind } of scan.run(at(second * 1000)).verdicts) told.push([second, kind]);
  }
  return told;
}

it.each([0, 2 ** 30, 2 ** 31 - 15_000, 2 ** 31 - 31_500, 2 ** 32 - 25_000, 2 ** 40])(
  "a table that has been in use for %s ms judges like a new one, also while its 32-bit time wraps",
  (startMs) => {
    expect(story(startMs)).toEqual([
      [11, "stalled"],
      [21, "step_timeout"],
      [31, "wait_expired"],
      [91, "task_timeout"],
    ]);
  },
);

it("[GC-1] the distance of two instants is right across the wrap, for anything up to 24 days", () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 2 ** 45, noNaN: true }),
      fc.nat(2 ** 31 - 1),
      (start, ms) => {
        const instant = instantOf(start);
        expect(elapsed(after(instant, ms), instant)).toBe(ms);
      },
    ),
  );
});

it("[WD-12] a scan that finds nothing due returns the same report each time and allocates none", () => {
  const { table, scan } = tableOf(100);
  for (let slot = 0; slot < 100; slot++) register(table, 0);

  const reports = new Set([1, 2, 3, 4].map((second) => scan.run(second * 1000)));

  expect([...reports]).toEqual([{ gapMs: 0, verdicts: [] }]);
});

it("[WD-12] a slot that is being written to is not judged until the write is over", () => {
  const { columns, table, scan } = tableOf(1);
  const { slot } = register(table, 0);
  const scanned = (second: number): readonly Verdict[] => scan.run(second * 1000).verdicts;
  for (let second = 0; second <= 60; second++) expect(scanned(second)).toEqual([]);

  Atomics.add(columns.sequence, slot, 1);
  expect(scanned(61)).toEqual([]);
  expect(scanned(62)).toEqual([]);
  Atomics.add(columns.sequence, slot, 1);

  expect(scanned(63)).toMatchObject([{ kind: "task_timeout", slot }]);
});

it("[WD-12] the pass skips whom it may skip: nobody is due before `wakeAt`", () => {
  const { columns, table } = tableOf(1);
  const ref = register(table, 0);
  const wakesAt = (): number => Atomics.load(columns.wakeAt, ref.slot);
  expect(wakesAt()).toBe(60_000);

  table.beginStep(ref, { kind: "tool", timeoutMs: 5000, adaptive: false }, 1000);
  expect(wakesAt()).toBe(6000);
  table.endStep(ref, 2000);
  expect(wakesAt()).toBe(60_000);
  for (let beat = 0; beat < 4; beat++) table.beat(ref, still, 3000);
  expect(wakesAt()).toBe(13_000);
  table.beat(ref, { ...still, step: 2 }, 4000);
  expect(wakesAt()).toBe(60_000);
});

it("a slot that was given back keeps nothing and gets another generation", () => {
  const { table } = tableOf(1);
  const first = register(table, 0);
  table.unregister(first, 10);
  const second = register(table, 20);

  expect(second.slot).toBe(first.slot);
  expect(second.generation).not.toBe(first.generation);
  expect(table.unregister(first, 30)).toBe(false);
  expect(table.open).toBe(1);
  expect(table.ignored).toBe(1);
});
