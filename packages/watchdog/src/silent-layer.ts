import type { Layer } from "./verdict.ts";
import { flag, hasFlag } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/**
 * WD-20: which layer is silent, from what the table knows. A loop that does not turn silences everything above it; a
 * wait on something named `store…` is the store's; a step in hand is the stream's or the tool's; what is left is the
 * task's process itself.
 */
export function silentLayer(columns: WatchColumns, slot: number, isLoopLagging: boolean): Layer {
  if (isLoopLagging) return "event_loop";
  if (hasFlag(columns, slot, flag.waitsOnStore)) return "store";
  if (hasFlag(columns, slot, flag.llmStep)) return "stream";
  if (hasFlag(columns, slot, flag.toolStep)) return "tool";
  return "process";
}
