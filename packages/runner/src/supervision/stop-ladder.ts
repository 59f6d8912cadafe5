/**
 * mark → cancel → force (WD-13), for one task in one isolate. The mark was written when the order came.
 *
 * 1. The order's time runs from the order, not from when this begins, until nothing of the isolate is alive: that is the time to stop.
 * 2. The isolate is reclaimed also when its agent ended by itself within the grace: what was stopped is never used again.
 */
import type { Clock } from "@bridle/kernel";
import type { EndCause } from "@bridle/protocol";

import type { Isolate, ReclaimResult } from "../isolates/isolate.ts";
import { failedBy } from "../outcome/attempt-end.ts";
import type { AttemptEnd, FailedEnd } from "../outcome/attempt-end.ts";
import type { AttemptCore } from "./attempt-core.ts";
import type { StopRequest } from "./attempt-scope.ts";
import { faultOf } from "./coded.ts";
import { reclaimWhole } from "./reclaim-whole.ts";
import type { LastWord, TaskChannel } from "./task-channel.ts";
import { within } from "./within.ts";

export interface LadderOptions {
  readonly core: AttemptCore;
  readonly isolate: Isolate;
  readonly channel: TaskChannel;
  readonly lastWord: Promise<LastWord>;
  readonly stop: StopRequest;
  /** Reads what the agent's last word brings, before the folder it lies in goes with the isolate. */
  readonly read: (word: LastWord | undefined) => AttemptEnd | undefined;
}

export interface LadderResult {
  /** What the agent's word within the grace amounts to; undefined when it gave none that counts. */
  readonly end: AttemptEnd | undefined;
  /** From the order to nothing left. */
  readonly timeToStopMs: number;
  /** What could not be ended. */
  readonly leftPids: readonly number[];
}

/** From the kill to the isolate's own end, behind which nothing of it can arrive. */
const endPatienceMs = 2000;

/** Asks, waits the grace, then takes it away. Resolves when the isolate cannot do anything any more. */
export async function stopIsolate(options: LadderOptions): Promise<LadderResult> {
  const { core, isolate, channel, lastWord, stop } = options;
  const { worker, watch, agent } = core.options;
  const { clock, settings, bus } = worker;
  const onDegraded = (reason: string): void =>
    bus.emit({ type: "guard.degraded", at: clock.wallMs(), guard: "worker", reason });
  const askedMs = core.stoppedAtMs ?? clock.monotonicMs();
  channel.cancel(faultOf(stop.error));
  isolate.terminate();
  // Should this loop be blocked when the grace is over, the watchdog's thread kills.
  watch.orderKill(settings.cancelGraceMs);
  const word = await within(clock, settings.cancelGraceMs, lastWord);
  if (word === undefined) channel.cut();
  const end = options.read(word);
  const reclaimed = await reclaimWhole({ clock, agent: agent.name, onDegraded }, isolate);
  if (reclaimed.leftPids.length === 0) watch.setPid(undefined);
  const timeToStopMs = elapsed(clock, askedMs);
  tellStopped({ options, word, reclaimed, timeToStopMs });
  if (word === undefined) await within(clock, endPatienceMs, lastWord);
  return { end, timeToStopMs, leftPids: reclaimed.leftPids };
}

interface Stopped {
  readonly options: LadderOptions;
  readonly word: LastWord | undefined;
  readonly reclaimed: ReclaimResult;
  readonly timeToStopMs: number;
}

function tellStopped({ options, word, reclaimed, timeToStopMs }: Stopped): void {
  const { core, isolate, stop } = options;
  const { spender, worker } = core.options;
  const { isolation, pid } = isolate;
  const { cause } = stop;
  const base = { ...spender, at: worker.clock.wallMs() };
  const signal = word === undefined ? forcedSignal(isolate, reclaimed.gone) : killedSignal(word);
  if (signal !== undefined) {
    const of = pid === undefined ? {} : { pid };
    core.write({ type: "task.killed", ...base, ...of, signal, reason: cause, timeToStopMs });
  }
  const left = signal === "abandoned" ? 1 : reclaimed.leftPids.length;
  const forced = signal !== undefined;
  core.write({ type: "task.stopped", ...base, isolation, cause, forced, timeToStopMs, left });
}

/** The end of an attempt that was stopped and whose agent gave no result that counts. */
export function stoppedEnd(
  stop: StopRequest,
  timeToStopMs: number,
  leftPids: readonly number[] = [],
): AttemptEnd {
  const end: FailedEnd = failedBy(stop.error, {
    ...stop.evidence,
    timeToStopMs,
    ...(leftPids.length === 0 ? {} : { leftPids }),
  });
  const cause: EndCause = stop.cause;
  return { ...end, cause };
}

function forcedSignal({ isolation }: Isolate, isGone: boolean): string {
  if (isolation === "process") return "SIGKILL";
  return isolation === "thread" && isGone ? "terminated" : "abandoned";
}

/** Ended by SIGKILL before this loop came to it: the watchdog's thread, or the kernel for want of memory. */
function killedSignal(word: LastWord): string | undefined {
  return word.kind === "ended" && word.end.signal === "SIGKILL" ? "SIGKILL" : undefined;
}

function elapsed(clock: Clock, sinceMs: number): number {
  return Math.max(0, Math.round(clock.monotonicMs() - sinceMs));
}
