/** The watchdog everybody writes first: a Map of tasks, every one of them looked at in every scan. */
export interface ScanTask {
  readonly deadlineMs: number;
  step: number;
  progressAtMs: number;
  repeats: number;
  isCondemned: boolean;
}

/** Same rule as ours: no progress for this long, and at least three beats that repeat (WD-5). */
const stallAfterMs = 10_000;
const repeatsForStall = 3;

export class FullScan {
  readonly #tasks = new Map<string, ScanTask>();

  watch(id: string, nowMs: number, taskMs: number): void {
    this.#tasks.set(id, {
      deadlineMs: nowMs + taskMs,
      step: -1,
      progressAtMs: nowMs,
      repeats: 0,
      isCondemned: false,
    });
  }

  beat(id: string, step: number, nowMs: number): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    if (step <= task.step) {
      task.repeats += 1;
      return;
    }
    task.step = step;
    task.progressAtMs = nowMs;
    task.repeats = 0;
  }

  /** The tasks that have run out of time or make no progress, each once. */
  scan(nowMs: number): readonly string[] {
    const found: string[] = [];
    for (const [id, task] of this.#tasks) {
      if (task.isCondemned) continue;
      const isStalled =
        task.repeats >= repeatsForStall && nowMs - task.progressAtMs >= stallAfterMs;
      if (!isStalled && nowMs < task.deadlineMs) continue;
      task.isCondemned = true;
      found.push(id);
    }
    return found;
  }
}
