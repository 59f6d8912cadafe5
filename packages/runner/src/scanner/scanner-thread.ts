/**
 * Entry of the scanner's thread. Runs from `dist`. It scans, posts what it found, and kills what nobody else kills any
 * more: the main loop may be blocked for good while it does.
 */
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

import { highWaterOf, TableClock } from "@bridle/watchdog";

import { killGroup } from "./kill-group.ts";
import { killIsolate } from "./kill-isolate.ts";
import { ScanDuty } from "./scan-duty.ts";
import type { DutyConfig } from "./scan-duty.ts";
import { scannerMemory } from "./scanner-memory.ts";
import type { ScannerBuffers, ScannerMemory } from "./scanner-memory.ts";
import { systemMs } from "./system-ms.ts";

export interface ThreadData {
  readonly buffers: ScannerBuffers;
  readonly config: DutyConfig;
  /** `systemMs()` when the table began. */
  readonly startMs: number;
}

// Written by `createScanner` and by nobody else.
const { buffers, config, startMs } = workerData as ThreadData;
const memory = scannerMemory(buffers, config.slots);
const clock = new TableClock(memory.columns, systemMs, startMs);
const duty = new ScanDuty(memory.columns, memory.orders, config);

setInterval(() => {
  const { blockedMs, ...report } = duty.turn(clock.passed());
  for (const { pid } of report.kills) killIsolate(pid);
  const { gapMs, lagMs, verdicts, kills } = report;
  if (gapMs > 0 || lagMs > 0 || verdicts.length > 0 || kills.length > 0) {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
    parentPort?.postMessage(report);
  }
  if (blockedMs !== undefined) endProcess(memory, blockedMs);
}, config.periodMs);

/** An inline task holds the main loop: nothing short of the end of the process ends it. */
function endProcess({ columns, orders }: ScannerMemory, blockedMs: number): void {
  const line = { level: "fatal", message: "inline task blocks the main loop", blockedMs };
  writeSync(2, `${JSON.stringify({ ...line, pid: process.pid })}\n`);
  const end = highWaterOf(columns);
  for (let slot = 0; slot < end; slot++) killGroup(Atomics.load(orders.pid, slot));
  process.kill(process.pid, "SIGKILL");
}
