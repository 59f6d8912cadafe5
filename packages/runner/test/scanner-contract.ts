import { afterEach, describe, expect, it } from "vitest";

import type {
  Scanner,
  ScannerKill,
  ScannerOptions,
  ScannerSignal,
  Watch,
  WatchVerdict,
} from "../src/scanner/index.ts";

/** Short times, so that the same tests run in real time as well. */
export const scannerTimes = { periodMs: 25, answerWithinMs: 100 } as const;

export interface ScannerHarness {
  create(
    options: Pick<ScannerOptions, "slots" | "onVerdict" | "onKilled"> & Partial<ScannerOptions>,
  ): Scanner;
  /** Lets time pass until the condition holds. */
  until(condition: () => boolean): Promise<void>;
  /** A process group that does nothing, or the pretence of one. */
  startGroup(): Promise<{ readonly pid: number; isGone(): boolean }>;
  stop(): Promise<void>;
}

/** What every scanner promises, with a thread or without. */
export function scannerContract(name: string, start: () => Promise<ScannerHarness>): void {
  // oxlint-disable-next-line vitest/valid-title -- the adapter's name
  describe(name, () => {
    const open: { harness: ScannerHarness; scanner: Scanner }[] = [];
    afterEach(async () => {
      for (const { harness, scanner } of open.splice(0)) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other is simpler to read when one hangs
        await scanner.close();
        // oxlint-disable-next-line no-await-in-loop
        await harness.stop();
      }
    });

    async function world(options: Partial<ScannerOptions> = {}) {
      const harness = await start();
      const verdicts: WatchVerdict[] = [];
      const kills: ScannerKill[] = [];
      const signals: ScannerSignal[] = [];
      const scanner = harness.create({
        slots: 8,
        ...scannerTimes,
        onVerdict: (verdict) => verdicts.push(verdict),
        onKilled: (kill) => kills.push(kill),
        onSignal: (signal) => signals.push(signal),
        ...options,
      });
      open.push({ harness, scanner });
      return { harness, scanner, verdicts, kills, signals };
    }

    it("[WD-1][WD-12] a verdict reaches the main loop once, under the id of its watch", async () => {
      const { harness, scanner, verdicts } = await world();
      const first = scanner.watch({ id: "run/first/1", taskMs: 60_000, graceLeftMs: 0 });
      first.beginStep({ kind: "tool", timeoutMs: 50 });
      await harness.until(() => verdicts.length > 0);
      scanner.watch({ id: "run/second/1", taskMs: 200, graceLeftMs: 0 });

      await harness.until(() => verdicts.length > 1);

      expect(verdicts).toMatchObject([
        { watchId: "run/first/1", kind: "step_timeout", layer: "tool", would: undefined },
        { watchId: "run/second/1", kind: "task_timeout", layer: "process" },
      ]);
    });

    it("[WD-13] a group whose verdict nobody answers is killed by the scanner", async () => {
      const { harness, scanner, verdicts, kills } = await world();
      const group = await harness.startGroup();
      scanner.watch({ id: "a", taskMs: 50, graceLeftMs: 0, pid: group.pid });

      await harness.until(() => group.isGone() && kills.length > 0);

      expect(verdicts).toHaveLength(1);
      expect(kills).toEqual([{ watchId: "a", pid: group.pid, because: "verdict" }]);
    });

    it("[WD-13] an answered verdict is left to the main loop; an answer before the verdict is none", async () => {
      const watches = new Map<string, Watch>();
      const { harness, scanner, kills } = await world({
        onVerdict: ({ watchId }) => {
          if (watchId === "answered") watches.get(watchId)?.acknowledge();
        },
      });
      const [answered, early] = [await harness.startGroup(), await harness.startGroup()];
      const options = { taskMs: 50, graceLeftMs: 0 };
      watches.set("answered", scanner.watch({ id: "answered", ...options, pid: answered.pid }));
      scanner.watch({ id: "early", ...options, taskMs: 300, pid: early.pid }).acknowledge();

      await harness.until(() => kills.length > 0);

      expect(kills).toEqual([{ watchId: "early", pid: early.pid, because: "verdict" }]);
      expect(answered.isGone()).toBe(false);
    });

    it("[WD-13] a kill order that is neither carried out nor taken back is carried out by the scanner", async () => {
      const { harness, scanner, kills } = await world();
      const [kept, taken] = [await harness.startGroup(), await harness.startGroup()];
      const takenBack = scanner.watch({ id: "taken back", taskMs: 60_000, pid: taken.pid });
      const standing = scanner.watch({ id: "standing", taskMs: 60_000 });
      standing.setPid(kept.pid);
      takenBack.orderKill(0);
      standing.orderKill(150);
      takenBack.acknowledge();

      await harness.until(() => kills.length > 0 && kept.isGone());

      expect(kills).toEqual([{ watchId: "standing", pid: kept.pid, because: "order" }]);
      expect(taken.isGone()).toBe(false);
    });

    it("[WD-13] a closed watch gets neither verdict nor kill, and its slot's next one starts clean", async () => {
      const { harness, scanner, verdicts, kills } = await world({ slots: 1 });
      const [ended, next] = [await harness.startGroup(), await harness.startGroup()];
      const first = scanner.watch({ id: "ended", taskMs: 50, graceLeftMs: 0, pid: ended.pid });
      first.orderKill(0);
      expect(first.close().graceUsedMs).toBe(0);
      first.setPid(ended.pid);
      first.orderKill(0);

      scanner.watch({ id: "next", taskMs: 300, graceLeftMs: 0, pid: next.pid });
      await harness.until(() => kills.length > 0);

      expect(verdicts.map(({ watchId }) => watchId)).toEqual(["next"]);
      expect(kills.map(({ watchId }) => watchId)).toEqual(["next"]);
      expect(ended.isGone()).toBe(false);
    });

    it("[WD-10][GC-4] what would be a verdict kills nobody", async () => {
      const { harness, scanner, verdicts, kills } = await world();
      const [graced, control] = [await harness.startGroup(), await harness.startGroup()];
      scanner.watch({ id: "graced", taskMs: 50, graceLeftMs: 60_000, pid: graced.pid });
      scanner.watch({ id: "control", taskMs: 300, graceLeftMs: 0, pid: control.pid });

      await harness.until(() => kills.length > 0);

      expect(verdicts).toMatchObject([
        { watchId: "graced", would: "grace" },
        { watchId: "control", would: undefined },
      ]);
      expect(graced.isGone()).toBe(false);
    });

    it("[GC-3] a handler that throws keeps no other verdict from being heard", async () => {
      const heard: string[] = [];
      const errors: unknown[] = [];
      const { harness, scanner } = await world({
        onVerdict: ({ watchId }) => {
          heard.push(watchId);
          throw new Error("handler");
        },
        onHandlerError: (error) => errors.push(error),
      });
      scanner.watch({ id: "a", taskMs: 50, graceLeftMs: 0 });
      scanner.watch({ id: "b", taskMs: 50, graceLeftMs: 0 });

      await harness.until(() => heard.length === 2);

      expect(errors).toEqual([new Error("handler"), new Error("handler")]);
    });

    it("[WD-7] tasks that wait for each other are told apart by their ids", async () => {
      const { harness, scanner, verdicts } = await world();
      const options = { taskMs: 60_000, graceLeftMs: 0 };
      const a = scanner.watch({ id: "a", ...options });
      const b = scanner.watch({ id: "b", ...options });
      a.waiting("b", 60_000);
      b.waiting("a", 60_000);

      await harness.until(() => verdicts.length === 2);

      expect(verdicts.map(({ watchId, kind }) => `${watchId} ${kind}`)).toEqual([
        "a wait_cycle",
        "b wait_cycle",
      ]);
    });

    it.each([
      ["-1", -1],
      ["0", 0],
      ["1", 1],
      ["1.5", 1.5],
      ["NaN", Number.NaN],
      ["this process", process.pid],
    ])("[WD-13] %s is never taken for the group of an isolate", async (_, pid) => {
      const { scanner } = await world();
      const watch = scanner.watch({ id: "a", taskMs: 60_000 });

      expect(() => watch.setPid(pid)).toThrow(/cannot be the process group/);
      expect(() => scanner.watch({ id: "b", taskMs: 60_000, pid })).toThrow(RangeError);
      expect(scanner.open).toBe(1);
    });
  });
}
