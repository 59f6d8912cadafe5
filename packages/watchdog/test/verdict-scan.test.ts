import {
  TableClock,
  VerdictScan,
  watchColumns,
  WatchTable,
  watchTableBytes,
} from "@bridle/watchdog";
import type { GuardMode, Verdict, WatchColumns } from "@bridle/watchdog";
import { expect, it } from "vitest";

import { Suspicions } from "../src/suspicions.ts";
import { watchWorld } from "./support/watch-world.ts";

const clocks = { taskMs: 60_000, stepMs: 20_000, graceMs: 0 };

function scanned(mode: GuardMode = "enforce", seen?: (columns: WatchColumns) => WatchColumns) {
  const columns = watchColumns(new ArrayBuffer(watchTableBytes(2)), 2);
  const table = new WatchTable(columns);
  const scan = new VerdictScan({ columns: seen?.(columns) ?? columns, periodMs: 1000, mode });
  const ref = table.register(clocks, 0);
  if (ref === undefined) throw new Error("the table is full");
  /** One scan a second, up to and with this one. */
  const scanTo = (seconds: number, isLoopLagging = false): readonly Verdict[] => {
    const verdicts: Verdict[] = [];
    for (; second <= seconds; second++) {
      verdicts.push(...scan.run(second * 1000, isLoopLagging).verdicts);
    }
    return verdicts;
  };
  let second = 0;
  return { table, scan, ref, scanTo, columns };
}

it("[WD-12] [WD-20] while the main loop does not turn, only the task clock is judged, and the loop is to blame", () => {
  const { table, ref, scanTo } = scanned();
  table.beginStep(ref, { kind: "tool", timeoutMs: undefined, adaptive: false }, 0);
  table.waiting(ref, { on: 1, ms: 5000, byBeat: false, onStore: true }, 0);

  expect(scanTo(60, true)).toEqual([]);

  expect(scanTo(66, true)).toMatchObject([{ kind: "task_timeout", layer: "event_loop" }]);
});

it("[WD-12] a scan after a gap judges nobody, and moves the table's time by the gap but for one period", () => {
  const { scan, columns } = scanned();
  const clock = new TableClock(columns, () => 162_000, 61_000);
  expect(scan.run(0)).toEqual({ gapMs: 0, verdicts: [] });
  expect(scan.run(1000)).toEqual({ gapMs: 0, verdicts: [] });

  expect(scan.run(101_000)).toEqual({ gapMs: 100_000, verdicts: [] });

  expect(clock.passed()).toBe(101_000);
  expect(clock.now()).toBe(2000);
});

it("[WD-12] what is written to while it is judged is judged at the next scan", () => {
  let writes = 1;
  const { scanTo, ref } = scanned("enforce", (columns) => ({
    ...columns,
    // Read for the verdict, after the clocks were found due: a whole write passes just then, once.
    get maxStep() {
      if (writes-- > 0) Atomics.add(columns.sequence, ref.slot, 2);
      return columns.maxStep;
    },
  }));

  expect(scanTo(61)).toEqual([]);
  expect(scanTo(62)).toMatchObject([{ kind: "task_timeout" }]);
});

it("a free slot is judged by nobody, also when it was given back twelve days ago", () => {
  const dayMs = 86_400_000;
  const columns = watchColumns(new ArrayBuffer(watchTableBytes(1)), 1);
  const table = new WatchTable(columns);
  const scan = new VerdictScan({ columns, periodMs: dayMs, mode: "enforce" });
  const ref = table.register(clocks, 0);
  if (ref === undefined) throw new Error("the table is full");
  expect(table.unregister(ref, 0)).toBe(true);
  expect(table.open).toBe(0);

  const found = Array.from({ length: 20 }, (_, day) => scan.run(day * dayMs).verdicts).flat();

  expect(found).toEqual([]);
});

it("[GC-4] a verdict says why it is only told: in `warn`", () => {
  const { scanTo } = scanned("warn");

  expect(scanTo(61)).toMatchObject([{ kind: "task_timeout", would: "warn" }]);
});

it("[WD-1] a step and a task that run out at the same instant: the step did", () => {
  const { table, ref, scanTo } = scanned();
  table.beginStep(ref, { kind: "tool", timeoutMs: 60_000, adaptive: false }, 0);

  expect(scanTo(70)).toMatchObject([{ kind: "step_timeout", layer: "tool" }]);
});

it("[WD-5] a third repeat that comes in between the two scans makes a step timeout a stall", () => {
  const world = watchWorld();
  const watch = world.watch();
  const repeat = (): unknown => watch.beat({ status: "RUNNING", step: 1 });
  watch.beginStep({ kind: "llm", timeoutMs: 12_000 });
  for (const ms of [4000, 4000, 4300]) {
    repeat();
    world.clock.advance(ms);
  }
  expect(world.kinds()).toEqual([]);
  repeat();
  world.clock.advance(2000);

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-6] the silence of a task that never beat began with it, not with the task before it in its slot", () => {
  const world = watchWorld({ slots: 1 });
  world.watch({ id: "first" }).close();
  world.clock.advance(500_000);
  world.watch({ id: "second", taskMs: 5000 });
  world.clock.advance(7000);

  expect(world.verdicts()).toMatchObject([{ kind: "task_timeout", silentMs: 6000 }]);
});

it("[GC-6] who is closed by the handler of another verdict of the same scan gets none", () => {
  const told: string[] = [];
  const world = watchWorld({
    emit: (event) => {
      if (event.type !== "verdict") return;
      told.push(event.watchId);
      other.close();
    },
  });
  world.watch({ id: "a", taskMs: 5000 });
  const other = world.watch({ id: "b", taskMs: 5000 });
  world.clock.advance(10_000);

  expect(told).toEqual(["a"]);
});

it("[GC-3] a subscriber may throw although nobody wants to hear of it: that is counted", () => {
  const world = watchWorld({
    emit: () => {
      throw new Error("subscriber");
    },
  });
  world.watch({ taskMs: 5000 });
  world.clock.advance(10_000);

  expect(world.watchdog.emitErrors).toBe(1);
});

it("[WD-12] a scan remembers who is past due or has its verdict, and nobody else", () => {
  const generations = new Int32Array([1, 1, 1]);
  const suspicions = new Suspicions();
  const see = (slot: number, generation = 1): boolean =>
    suspicions.sight({ slot, generation, kind: "stalled", dueAt: 5, phase: "enforced" });
  suspicions.beginScan();
  for (const slot of [0, 1, 2]) expect(see(slot)).toBe(false);
  suspicions.condemn(0);
  suspicions.endScan(generations);
  expect(suspicions.size).toBe(3);

  suspicions.beginScan();
  expect(see(1)).toBe(true);
  suspicions.endScan(generations);
  expect(suspicions.size).toBe(2);
  expect(suspicions.isCondemned(0, 1)).toBe(true);

  // The next task in the slot is nobody's suspect.
  generations[0] = 3;
  expect(suspicions.isCondemned(0, 3)).toBe(false);
  suspicions.beginScan();
  expect(see(1, 3)).toBe(false);
  suspicions.endScan(generations);
  expect(suspicions.size).toBe(0);
});
