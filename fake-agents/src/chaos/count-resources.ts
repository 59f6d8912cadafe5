import { readdirSync, readFileSync, readlinkSync } from "node:fs";

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
    processes: childrenOfThis(),
    handles: entriesOf("/proc/self/fd").filter(isChannel).length,
    timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
    threads: entriesOf("/proc/self/task").length,
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

function childrenOfThis(): number {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, "latin1").trim();
    return text === "" ? 0 : text.split(" ").length;
  } catch {
    return 0;
  }
}

function isChannel(descriptor: string): boolean {
  try {
    return /^(?:socket|pipe):/.test(readlinkSync(`/proc/self/fd/${descriptor}`));
  } catch {
    // The descriptor with which the folder itself was read.
    return false;
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
