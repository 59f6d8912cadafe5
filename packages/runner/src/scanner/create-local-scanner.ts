import type { TimerHandle } from "@bridle/kernel";
import { TableClock } from "@bridle/watchdog";

import { killIsolate } from "./kill-isolate.ts";
import { countLoopTurn } from "./kill-orders.ts";
import { OwnerSide } from "./owner-side.ts";
import { ScanDuty } from "./scan-duty.ts";
import { scannerBuffers, scannerMemory } from "./scanner-memory.ts";
import { scannerSettings } from "./scanner-settings.ts";
import type { Scanner, ScannerOptions } from "./scanner.ts";

export interface LocalScannerOptions extends ScannerOptions {
  /** Default: the real SIGKILL, to who left the group as well. */
  readonly killGroup?: ((pid: number) => void) | undefined;
}

/**
 * A scanner on the caller's own loop and clock: for tests in virtual time, and where threads are not to be had. It keeps
 * every promise of the other one but the ones about a blocked loop, which blocks it too.
 */
export function createLocalScanner(options: LocalScannerOptions): Scanner {
  const config = scannerSettings(options);
  const memory = scannerMemory(scannerBuffers(config.slots), config.slots);
  const clock = new TableClock(memory.columns, () => options.clock.monotonicMs());
  const owner = new OwnerSide({ options, config, memory, clock });
  const duty = new ScanDuty(memory.columns, memory.orders, config);
  const kill = options.killGroup ?? killIsolate;
  let timer: TimerHandle | undefined;
  const turn = (): void => {
    countLoopTurn(memory.orders);
    const report = duty.turn(clock.passed());
    for (const { pid } of report.kills) kill(pid);
    owner.deliver(report);
  };
  const arm = (): void => {
    timer = options.clock.setTimer(config.periodMs, () => {
      arm();
      turn();
    });
  };
  turn();
  arm();
  return {
    watch: (watchOptions) => owner.watch(watchOptions),
    get open() {
      return owner.open;
    },
    close: async () => {
      timer?.cancel();
    },
  };
}
