import type { TimerHandle } from "@bridle/kernel";
import { TableClock } from "@bridle/watchdog";

import { entryPath } from "../isolates/entry-path.ts";
import { keepThread } from "./keep-thread.ts";
import { countLoopTurn } from "./kill-orders.ts";
import { OwnerSide } from "./owner-side.ts";
import type { DutyReport } from "./scan-duty.ts";
import { scannerBuffers, scannerMemory } from "./scanner-memory.ts";
import { scannerSettings } from "./scanner-settings.ts";
import type { ThreadData } from "./scanner-thread.ts";
import type { Scanner, ScannerOptions } from "./scanner.ts";
import { systemMs } from "./system-ms.ts";

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
  const thread = keepThread<Omit<DutyReport, "blockedMs">>({
    entry: entryPath(import.meta.url, "./scanner-thread.js"),
    data,
    onMessage: (report) => owner.deliver(report),
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
