/**
 * How long each run could have advanced while somebody looked (WD-3): not while it was paused, nor while all that it had
 * in hand was parked. Reckoned from the log a second time, in the world's own time.
 */
import type { RunRecord } from "@bridle/ports/testing";
import type { LogEntry } from "@bridle/protocol";

interface RunSeen {
  read: number;
  lookedMs: number;
  advancingMs: number;
  /** Since when it has been winding down, as far as it was seen. */
  endingMs: number | undefined;
  isStarted: boolean;
  isPaused: boolean;
  isEnding: boolean;
  /** Attempt scheduled last, by task, until the task ends. */
  readonly live: Map<string, number>;
  readonly parked: Set<string>;
}

export interface RunTime {
  readonly advancingMs: number;
  readonly endingForMs: number;
}

const nothing: ReadonlyMap<string, number> = new Map();

export class RunTimes {
  readonly #runs = new Map<string, RunSeen>();

  /** Attempts that were decided at the last look and may go on, by task; none while the run is paused or winding down. */
  decided(runId: string): ReadonlyMap<string, number> {
    const seen = this.#runs.get(runId);
    return seen === undefined || seen.isPaused || seen.isEnding ? nothing : seen.live;
  }

  /** At each look, while the run has not ended. */
  look({ submitted, log }: RunRecord, nowMs: number): RunTime {
    const seen = this.#runs.get(submitted.runId) ?? unseen(nowMs);
    this.#runs.set(submitted.runId, seen);
    if (isAdvancing(seen)) seen.advancingMs += nowMs - seen.lookedMs;
    seen.lookedMs = nowMs;
    for (const entry of log.slice(seen.read)) note(seen, entry);
    seen.read = log.length;
    if (seen.isEnding) seen.endingMs ??= nowMs;
    const { advancingMs, endingMs } = seen;
    return { advancingMs, endingForMs: endingMs === undefined ? 0 : nowMs - endingMs };
  }
}

function unseen(nowMs: number): RunSeen {
  return {
    read: 0,
    lookedMs: nowMs,
    advancingMs: 0,
    endingMs: undefined,
    isStarted: false,
    isPaused: false,
    isEnding: false,
    live: new Map(),
    parked: new Set(),
  };
}

function isAdvancing({ isStarted, isPaused, isEnding, live, parked }: RunSeen): boolean {
  const isParked = parked.size > 0 && parked.size === live.size;
  return isStarted && !isPaused && !isEnding && !isParked;
}

const taskEnds: ReadonlySet<string> = new Set(["task.completed", "task.failed", "task.cancelled"]);

function note(seen: RunSeen, entry: LogEntry): void {
  if (entry.type === "run.started") seen.isStarted = true;
  if (entry.type === "run.paused") seen.isPaused = true;
  if (entry.type === "run.resumed") seen.isPaused = false;
  if (entry.type === "run.cancelling") seen.isEnding = true;
  if (!("taskId" in entry)) return;
  const { taskId, type } = entry;
  if (type === "task.parked") seen.parked.add(taskId);
  if (type === "task.scheduled") {
    seen.live.set(taskId, entry.attempt);
    seen.parked.delete(taskId);
  } else if (taskEnds.has(type)) {
    seen.live.delete(taskId);
    seen.parked.delete(taskId);
  }
}
