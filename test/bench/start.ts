/** How long a user waits for `bridle dev`, and what it takes of the machine. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { median } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";
import { startBridleDev } from "./bridle-dev.ts";
import type { BridleDev, Cost } from "./bridle-dev.ts";

const rounds = 9;

type Start = Cost & Pick<BridleDev, "listeningMs" | "readyMs">;

/** Each round a folder that is not there yet (cold), then the same folder again (warm). */
export async function benchStart(): Promise<BenchResult> {
  // Reads program and archive into the page cache: the first start after a boot is the disk's figure, not ours.
  await oneRound();
  const cold: Start[] = [];
  const warm: Start[] = [];
  for (let round = 0; round < rounds; round++) {
    // oxlint-disable-next-line no-await-in-loop -- starts side by side would measure each other
    const starts = await oneRound();
    cold.push(starts.cold);
    warm.push(starts.warm);
  }
  const all = [...cold, ...warm];
  return {
    rows: [
      { name: "cold, ready", value: mid(cold, "readyMs"), unit: "ms" },
      { name: "cold, ready, slowest", value: Math.max(...of(cold, "readyMs")), unit: "ms" },
      { name: "cold, listening", value: mid(cold, "listeningMs"), unit: "ms" },
      { name: "cold, processor time", value: mid(cold, "cpuMs"), unit: "ms" },
      { name: "warm, ready", value: mid(warm, "readyMs"), unit: "ms" },
      { name: "warm, ready, slowest", value: Math.max(...of(warm, "readyMs")), unit: "ms" },
      { name: "warm, listening", value: mid(warm, "listeningMs"), unit: "ms" },
      { name: "warm, processor time", value: mid(warm, "cpuMs"), unit: "ms" },
      { name: "memory when ready", value: mid(all, "rssMiB"), unit: "MiB" },
      { name: "memory, highest", value: Math.max(...of(all, "peakMiB")), unit: "MiB" },
    ],
    goals: [
      { name: "cold, ready", op: "<=", limit: 2000 },
      { name: "warm, ready", op: "<=", limit: 1000 },
      { name: "memory, highest", op: "<=", limit: 500 },
    ],
    notes: [
      `${rounds} rounds, medians, with a TypeScript configuration. The clock runs from spawn to the first 200 of /readyz.`,
      "Memory is resident memory of the whole process, database included.",
    ],
  };
}

async function oneRound(): Promise<{ readonly cold: Start; readonly warm: Start }> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-start-"));
  try {
    const cold = await startOnce(folder);
    return { cold, warm: await startOnce(folder) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(folder: string): Promise<Start> {
  const dev = await startBridleDev(folder);
  const { listeningMs, readyMs } = dev;
  try {
    return { listeningMs, readyMs, ...(await dev.cost()) };
  } finally {
    await dev.stop();
  }
}

function of(starts: readonly Start[], field: keyof Start): readonly number[] {
  return starts.map((start) => start[field]);
}

function mid(starts: readonly Start[], field: keyof Start): number {
  return median(of(starts, field));
}
