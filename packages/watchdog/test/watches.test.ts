import { TableClock, VerdictScan, watchColumns, Watches, watchTableBytes } from "@bridle/watchdog";
import { expect, it } from "vitest";

/** A scan whose verdicts take their time to reach the owner, as those of a thread do. */
function distantScan() {
  let nowMs = 0;
  const columns = watchColumns(new ArrayBuffer(watchTableBytes(2)), 2);
  const clock = new TableClock(columns, () => nowMs);
  const scan = new VerdictScan({ columns, periodMs: 1000, mode: "enforce" });
  return {
    watches: new Watches(columns, clock),
    scanFor: (seconds: number) =>
      Array.from({ length: seconds }, () => {
        nowMs += 1000;
        return scan.run(clock.passed()).verdicts;
      }).flat(),
  };
}

const task = { taskMs: 600_000, graceLeftMs: 0 };

it("[GC-6] a verdict that arrives after its task has ended is about nobody, also when the slot is in use again", () => {
  const { watches, scanFor } = distantScan();
  const first = watches.open({ id: "first", taskMs: 5000, graceLeftMs: 0 });
  const [verdict, ...more] = scanFor(10);
  if (verdict === undefined) throw new Error("there was no verdict");
  expect(more).toEqual([]);
  expect(watches.take(verdict)?.id).toBe("first");

  first.close();
  expect(watches.take(verdict)).toBeUndefined();
  expect(watches.open({ id: "second", ...task }).ref.slot).toBe(verdict.slot);

  expect(watches.take(verdict)).toBeUndefined();
});

it("[WD-7] a cycle that was broken while its verdict was on its way stops nobody", () => {
  const { watches, scanFor } = distantScan();
  const [a, b] = ["a", "b"].map((id) => watches.open({ id, ...task }));
  a?.waiting("b", 60_000);
  b?.waiting("a", 60_000);
  const verdicts = scanFor(2);
  expect(verdicts.map(({ kind }) => kind)).toEqual(["wait_cycle", "wait_cycle"]);

  b?.endWait();

  expect(verdicts.map((verdict) => watches.take(verdict))).toEqual([undefined, undefined]);
});

it("[WD-7] an expired wait that was followed by another one while its verdict was on its way does not end that one", () => {
  const { watches, scanFor } = distantScan();
  const watch = watches.open({ id: "a", ...task, taskMs: 20_000 });
  watch.waiting("child", 3000);
  const [verdict] = scanFor(5);
  if (verdict === undefined) throw new Error("there was no verdict");

  watch.waiting("approval", 300_000);

  expect(watches.take(verdict)).toBeUndefined();
  expect(scanFor(100)).toEqual([]);
});
