/**
 * What a piece of work leaves behind in this process and below it, by name: what would keep the process alive (timers, sockets,
 * servers, pipes, threads), children that still run, and listeners on what outlives it.
 *
 * 1. Only what is more than before counts: the runner has things of its own.
 * 2. What ends by itself in a moment is no leak: `leaksAfter` waits for it, as long as it is given.
 * 3. An idle connection that is kept for the next call does not keep a process alive, and is not counted.
 */
import type { EventEmitter } from "node:events";
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isMainThread } from "node:worker_threads";

import { childrenOf, isAlive } from "@bridle/fake-agents/process-table";

/** Node's names for what keeps a process alive, as a reader knows them. The rest comes and goes: file reads, ticks. */
const resources: Readonly<Record<string, string>> = {
  Timeout: "timer",
  TCPSocketWrap: "socket",
  TCPServerWrap: "listening server",
  TLSWrap: "socket",
  PipeWrap: "pipe",
  ProcessWrap: "child process",
  MessagePort: "message port",
};

export interface Baseline {
  readonly active: Counts;
  readonly children: ReadonlySet<number>;
  readonly listeners: Counts;
  readonly emitters: Emitters;
}

type Counts = ReadonlyMap<string, number>;
/** By the name a failure shall show. */
export type Emitters = Readonly<Record<string, EventEmitter>>;

/** The pool that reads files starts its threads at the first one. */
await readFile("/proc/self/stat").catch(() => undefined);

/** What there is now. Listeners are counted on `process` and on these. */
export function baseline(emitters: Emitters = {}): Baseline {
  const watched = { process, ...emitters };
  return {
    active: activeNow(),
    children: new Set(childrenOf(process.pid)),
    listeners: listenersOf(watched),
    emitters: watched,
  };
}

/**
 * For the time before a test file. Nothing of it can be there: a timer that is seen then is one of the runner's, which end by
 * themselves. And a logger stays registered for the end of its process for good, to write out what it has.
 */
export function beforeFile(before: Baseline): Baseline {
  const forGood: Counts = new Map(
    ["exit", "beforeExit"].map((event) => [`listener of process for ${event}`, Infinity]),
  );
  const active = new Map(before.active);
  active.delete("timer");
  return { ...before, active, listeners: new Map([...before.listeners, ...forGood]) };
}

/** What is there and was not, in words. */
export function leaksSince(before: Baseline): readonly string[] {
  const children = childrenOf(process.pid).filter(
    (pid) => !before.children.has(pid) && isAlive(pid),
  );
  return [
    ...more(before.active, activeNow()),
    ...children.map((pid) => `child process ${pid}`),
    ...more(before.listeners, listenersOf(before.emitters)),
  ];
}

/** The same, once what ends by itself has had its time. */
export async function leaksAfter(before: Baseline, graceMs = 2000): Promise<readonly string[]> {
  const endMs = performance.now() + graceMs;
  for (;;) {
    const leaks = leaksSince(before);
    if (leaks.length === 0 || performance.now() > endMs) return leaks;
    // oxlint-disable-next-line no-await-in-loop -- looks again
    await new Promise((resolve) => setTimeout(resolve, 5).unref());
  }
}

function activeNow(): Counts {
  const names = process.getActiveResourcesInfo().flatMap((name) => resources[name] ?? []);
  return count(names).set("thread", threads());
}

/** Node does not list its threads. Where tests themselves run in threads, those of other files come and go. */
function threads(): number {
  return isMainThread && process.platform === "linux" ? readdirSync("/proc/self/task").length : 0;
}

function listenersOf(emitters: Emitters): Counts {
  return new Map(
    Object.entries(emitters).flatMap(([name, emitter]) =>
      emitter
        .eventNames()
        .map((event) => [`listener of ${name} for ${String(event)}`, emitter.listenerCount(event)]),
    ),
  );
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function more(before: Counts, after: Counts): readonly string[] {
  return [...after].flatMap(([name, found]) => {
    const left = found - (before.get(name) ?? 0);
    return left > 0 ? [left === 1 ? name : `${name} (${left} of them)`] : [];
  });
}
