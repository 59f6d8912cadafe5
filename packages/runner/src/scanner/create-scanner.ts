import { Worker } from "node:worker_threads";

import type { TimerHandle } from "@bridle/kernel";
import { TableClock } from "@bridle/watchdog";

import { countLoopTurn } from "./kill-orders.ts";
import { OwnerSide } from "./owner-side.ts";
import type { DutyReport } from "./scan-duty.ts";
import { scannerBuffers, scannerMemory } from "./scanner-memory.ts";
import { scannerSettings } from "./scanner-settings.ts";
import type { ThreadData } from "./scanner-thread.ts";
import type { Scanner, ScannerOptions } from "./scanner.ts";
import { systemMs } from "./system-ms.ts";

type ThreadReport = Omit<DutyReport, "blockedMs">;

/** A thread runs plain JavaScript, also when this module is run from its source. */
const threadEntry = new URL(
  import.meta.url.replace(/\/src\/(.*)create-scanner\.ts$/, "/dist/$1create-scanner.js"),
);

/**
 * Keeps one scanner thread running until it is stopped. A thread that breaks is replaced after `retryMs`: the memory is
 * the caller's, so nothing is lost but the count of scans in a row.
 */
function keepThread(parts: {
  readonly data: ThreadData;
  readonly onReport: (report: ThreadReport) => void;
  readonly onFailure: (message: string) => void;
  readonly later: (retry: () => void) => TimerHandle;
}): { stop(): Promise<void> } {
  let worker: Worker;
  let retry: TimerHandle | undefined;
  let isStopped = false;
  const start = (): void => {
    worker = new Worker(new URL("scanner-thread.js", threadEntry), {
      workerData: parts.data,
      execArgv: [],
      name: "watchdog",
    });
    let failure = "the thread ended";
    worker.on("message", parts.onReport);
    worker.on("error", (error: Error) => (failure = error.message));
    worker.on("exit", () => {
      if (isStopped) return;
      parts.onFailure(failure);
      retry = parts.later(start);
    });
    worker.unref();
  };
  start();
  return {
    stop: async () => {
      isStopped = true;
      retry?.cancel();
      await worker.terminate();
    },
  };
}

/**
 * The watchdog's scanner in a thread of its own over shared memory (WD-12, WD-13). `options.clock` must be the system's:
 * the thread measures with the same one.
 */
export function createScanner(options: ScannerOptions): Scanner {
  const config = scannerSettings(options);
  const buffers = scannerBuffers(config.slots);
  const memory = scannerMemory(buffers, config.slots);
  const clock = new TableClock(memory.columns, () => options.clock.monotonicMs());
  const data: ThreadData = { buffers, config, startMs: systemMs() };
  const owner = new OwnerSide({ options, config, memory, clock });
  const thread = keepThread({
    data,
    onReport: (report) => owner.deliver(report),
    onFailure: (message) =>
      owner.guarded(() => options.onSignal?.({ type: "thread_failed", message })),
    later: (retry) => options.clock.setTimer(config.periodMs, retry),
  });
  let timer: TimerHandle | undefined;
  const turn = (): void => {
    countLoopTurn(memory.orders);
    timer = options.clock.setTimer(config.periodMs / 2, turn);
  };
  turn();
  return {
    watch: (watchOptions) => owner.watch(watchOptions),
    get open() {
      return owner.open;
    },
    close: async () => {
      timer?.cancel();
      await thread.stop();
    },
  };
}
