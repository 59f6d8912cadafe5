/**
 * cancel → force (WD-13). The mark was made, and everything in this process aborted, the moment the order came.
 */
import type { Clock } from "@bridle/kernel";
import type { EndCause } from "@bridle/protocol";

import type { Isolate } from "../isolates/isolate.ts";
import { failedBy } from "../outcome/attempt-end.ts";
import type { AttemptEnd, FailedEnd } from "../outcome/attempt-end.ts";
import type { AttemptCore } from "./attempt-core.ts";
import type { StopRequest } from "./attempt-scope.ts";
import { faultOf } from "./coded.ts";
import type { LastWord, TaskChannel } from "./task-channel.ts";
import { within } from "./within.ts";

export interface LadderOptions {
  readonly core: AttemptCore;
  readonly isolate: Isolate;
  readonly channel: TaskChannel;
  readonly lastWord: Promise<LastWord>;
  readonly stop: StopRequest;
}

export interface LadderResult {
  /** What the agent said before the kill, if anything. */
  readonly word: LastWord | undefined;
  /** From the order to the end of the isolate or its last word. */
  readonly timeToStopMs: number;
}

/** From the kill to the isolate's own end, behind which nothing of it can arrive. */
const endPatienceMs = 1000;

/** Asks the isolate to end, waits the grace, and ends it by force when it has not. */
export async function stopIsolate(options: LadderOptions): Promise<LadderResult> {
  const { core, isolate, channel, lastWord, stop } = options;
  const { worker, watch } = core.options;
  const { clock, settings } = worker;
  const askedMs = clock.monotonicMs();
  channel.cancel(faultOf(stop.error));
  isolate.terminate();
  // Should this loop be blocked when the grace is over, the watchdog's thread kills.
  watch.orderKill(settings.cancelGraceMs);
  const word = await within(clock, settings.cancelGraceMs, lastWord);
  let isGone = true;
  if (word === undefined) {
    channel.cut();
    isGone = (await isolate.reclaim()).gone;
    watch.setPid(undefined);
  }
  const timeToStopMs = elapsed(clock, askedMs);
  const signal = word === undefined ? forcedSignal(isolate, isGone) : killedSignal(word);
  if (signal !== undefined) {
    const { pid } = isolate;
    core.write({
      type: "task.killed",
      ...core.options.spender,
      at: clock.wallMs(),
      ...(pid === undefined ? {} : { pid }),
      signal,
      reason: stop.cause,
      timeToStopMs,
    });
  }
  if (word === undefined) await within(clock, endPatienceMs, lastWord);
  return { word, timeToStopMs };
}

/** The end of an attempt that was stopped and whose agent gave no result that counts. */
export function stoppedEnd(stop: StopRequest, timeToStopMs: number): AttemptEnd {
  const end: FailedEnd = failedBy(stop.error, { ...stop.evidence, timeToStopMs });
  const cause: EndCause = stop.cause;
  return { ...end, cause };
}

function forcedSignal({ isolation }: Isolate, isGone: boolean): string {
  if (isolation === "process") return "SIGKILL";
  return isolation === "thread" && isGone ? "terminated" : "abandoned";
}

/** Set when the group was killed by somebody else meanwhile: the watchdog's thread, or the kernel. */
function killedSignal(word: LastWord): string | undefined {
  return word.kind === "ended" ? word.end.signal : undefined;
}

function elapsed(clock: Clock, sinceMs: number): number {
  return Math.max(0, Math.round(clock.monotonicMs() - sinceMs));
}
