/** One scan over a hundred thousand tasks while ten thousand beats a second come in. */
import { SimulatedClock } from "@bridle/kernel/testing";
import { TableClock, VerdictScan, watchColumns, Watches, watchTableBytes } from "@bridle/watchdog";
import type { OpenWatch } from "@bridle/watchdog";

import { median, quantile } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";
import { FullScan } from "./peer-scan.ts";

const tasks = 100_000;
const beatsPerSecond = 10_000;
const turns = tasks / beatsPerSecond;
const seconds = 150;
const warmupSeconds = 30;
const taskMs = 3_600_000;
/** Beats without progress, so that there is something to find: each thousandth task. */
const isStuck = (task: number): boolean => task % 1000 === 0;

/** One of the two that are compared, on the same virtual second. */
interface Rival {
  readonly beatsMs: number[];
  readonly tickMs: number[];
  readonly found: Set<string>;
  beat(task: number, step: number): void;
  tick(): readonly string[];
}

export async function benchWatchdog(): Promise<BenchResult> {
  const clock = new SimulatedClock();
  const ours = ourWatchdog(clock);
  const peer = fullScan(clock);
  for (let second = 0; second < seconds; second++) {
    clock.advance(1000);
    for (const rival of [ours, peer]) playSecond(rival, second);
  }
  checkFound(ours, peer);
  const [mine, theirs] = [median(ours.tickMs), median(peer.tickMs)];
  const beatUs = (rival: Rival): number => (median(rival.beatsMs) / beatsPerSecond) * 1000;
  return {
    rows: [
      { name: "tick, p50", value: mine, unit: "ms" },
      { name: "tick, p99", value: quantile(ours.tickMs, 0.99), unit: "ms" },
      { name: "full-scan Map, p50", value: theirs, unit: "ms" },
      { name: "full-scan Map, p99", value: quantile(peer.tickMs, 0.99), unit: "ms" },
      { name: "ours / full-scan Map, tick", value: mine / theirs, unit: "×" },
      { name: "beat", value: beatUs(ours), unit: "µs" },
      { name: "full-scan Map, beat", value: beatUs(peer), unit: "µs" },
    ],
    goals: [{ name: "tick, p50", op: "<=", limit: 1 }],
    notes: [
      `${tasks} tasks, ${beatsPerSecond} beats and one tick per virtual second, ${seconds - warmupSeconds} ticks each after ${warmupSeconds} unmeasured ones, turn by turn.`,
      `Both found the same ${ours.found.size} tasks that beat without progress, and no other.`,
      "Ours has step, task, wait and grace clocks and a table that another thread can read; the Map has a deadline, a step and a count.",
    ],
  };
}

function playSecond(rival: Rival, second: number): void {
  const first = (second % turns) * beatsPerSecond;
  const step = Math.floor(second / turns);
  const startedMs = performance.now();
  for (let task = first; task < first + beatsPerSecond; task++) {
    rival.beat(task, isStuck(task) ? 0 : step);
  }
  const beatenMs = performance.now();
  const found = rival.tick();
  const tickedMs = performance.now();
  for (const id of found) rival.found.add(id);
  if (second < warmupSeconds) return;
  rival.beatsMs.push(beatenMs - startedMs);
  rival.tickMs.push(tickedMs - beatenMs);
}

/** A fast scan that misses somebody would be worth nothing. */
function checkFound(ours: Rival, peer: Rival): void {
  const stuck = Array.from({ length: tasks }, (_, task) => task).filter(isStuck);
  for (const { found } of [ours, peer]) {
    if (found.size !== stuck.length || !stuck.every((task) => found.has(nameOf(task)))) {
      throw new Error(`${stuck.length} tasks made no progress, ${found.size} were found.`);
    }
  }
}

function ourWatchdog(clock: SimulatedClock): Rival {
  const columns = watchColumns(new SharedArrayBuffer(watchTableBytes(tasks)), tasks);
  const tableClock = new TableClock(columns, () => clock.monotonicMs());
  const watches = new Watches(columns, tableClock);
  const scan = new VerdictScan({ columns, periodMs: 1000, mode: "enforce" });
  const open: OpenWatch[] = [];
  for (let task = 0; task < tasks; task++) {
    open.push(watches.open({ id: nameOf(task), taskMs, graceLeftMs: 0 }));
  }
  scan.run(tableClock.passed());
  return {
    beatsMs: [],
    tickMs: [],
    found: new Set(),
    beat: (task, step) => void open[task]?.beat({ status: "RUNNING", step }),
    tick: () => {
      const { verdicts } = scan.run(tableClock.passed());
      return verdicts.map((verdict) => watches.take(verdict)?.id ?? "nobody");
    },
  };
}

function fullScan(clock: SimulatedClock): Rival {
  const scan = new FullScan();
  const names = Array.from({ length: tasks }, (_, task) => nameOf(task));
  for (const name of names) scan.watch(name, clock.monotonicMs(), taskMs);
  return {
    beatsMs: [],
    tickMs: [],
    found: new Set(),
    beat: (task, step) => scan.beat(names[task] ?? "", step, clock.monotonicMs()),
    tick: () => scan.scan(clock.monotonicMs()),
  };
}

function nameOf(task: number): string {
  return `run_bench/task-${task}`;
}
