import { watchColumns, watchTableBytes } from "@bridle/watchdog";
import type { WatchColumns } from "@bridle/watchdog";

import { killOrders, killOrdersBytes } from "./kill-orders.ts";
import type { KillOrders } from "./kill-orders.ts";

/** What main loop and thread share. */
export interface ScannerBuffers {
  readonly table: SharedArrayBuffer;
  readonly orders: SharedArrayBuffer;
}

export interface ScannerMemory {
  readonly columns: WatchColumns;
  readonly orders: KillOrders;
}

export function scannerBuffers(slots: number): ScannerBuffers {
  return {
    table: new SharedArrayBuffer(watchTableBytes(slots)),
    orders: new SharedArrayBuffer(killOrdersBytes(slots)),
  };
}

export function scannerMemory({ table, orders }: ScannerBuffers, slots: number): ScannerMemory {
  return { columns: watchColumns(table, slots), orders: killOrders(orders, slots) };
}
