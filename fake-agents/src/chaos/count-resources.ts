import { readdirSync } from "node:fs";

import { childrenOf, openChannels } from "../process-table.ts";

/** What this process holds at one moment. */
export interface ResourceCounts {
  /** Children, zombies included: nobody else will take them away. */
  readonly processes: number;
  /** Open sockets and pipes. */
  readonly handles: number;
  readonly timers: number;
  readonly threads: number;
  /** On the process itself: signals, exits, rejections. */
  readonly listeners: number;
}

/** Reads them now; only timers and listeners where there is no `/proc`. */
export function countResources(): ResourceCounts {
  return {
    processes: childrenOf(process.pid).length,
    handles: openChannels(),
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    threads: threadCount(),
    listeners: process
      .eventNames()
      .reduce((sum, name) => sum + process.listenerCount(String(name)), 0),
  };
}

/** More than this beyond the warm round is growth: an idle connection or a read-ahead thread may come and go. */
const wobble = 3;

/**
 * What grew, a sentence each. The first round warms pools and caches; from the second on nothing may grow, however many follow.
 */
export function grownCounts(rounds: readonly ResourceCounts[]): readonly string[] {
  const [, warm, ...later] = rounds;
  const last = later.at(-1);
  if (warm === undefined || last === undefined) return [];
  // Safe: the members of the interface, each a number.
  return (Object.keys(warm) as (keyof ResourceCounts)[]).flatMap((name) =>
    last[name] > warm[name] + wobble
      ? [`${name} grew from ${warm[name]} to ${last[name]} in ${later.length} rounds`]
      : [],
  );
}

function threadCount(): number {
  try {
    return readdirSync("/proc/self/task").length;
  } catch {
    return 0;
  }
}
