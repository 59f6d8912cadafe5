/**
 * The rules once more, as the document says them and in the plainest form: objects, real milliseconds, everything
 * computed at each look. The table must come to the same verdicts.
 */
export type Action =
  | {
      readonly type: "beat";
      readonly task: number;
      readonly status: "RUNNING" | "FINISHED";
      readonly step: number;
      readonly token?: string | undefined;
    }
  | {
      readonly type: "begin-step";
      readonly task: number;
      readonly timeoutMs: number;
      readonly adaptive: boolean;
    }
  | { readonly type: "end-step"; readonly task: number }
  | { readonly type: "wait"; readonly task: number; readonly on: string; readonly ms: number }
  | { readonly type: "end-wait"; readonly task: number }
  | {
      readonly type: "reopen";
      readonly task: number;
      readonly taskMs: number;
      readonly graceLeftMs: number;
    }
  | { readonly type: "pass"; readonly ms: number };

interface Due {
  readonly key: string;
  readonly overMs: number;
}

interface Wait {
  readonly on: string;
  until: number;
}

class NaiveTask {
  readonly id: string;
  readonly graceUntil: number;
  readonly registeredAt: number;
  readonly taskMs: number;
  /** Milliseconds of waiting taken off the task clock so far, the open wait not included. */
  waitedMs = 0;
  /** The same for the task clock, which a wait does not stop once it has run out. */
  taskWaitedMs = 0;
  wait: (Wait & { readonly from: number; readonly stopsTask: boolean }) | undefined;
  step: { armedAt: number; readonly timeoutMs: number; readonly slackMs: number } | undefined;
  stallAfterMs = 10_000;
  progressAt: number;
  waitedAtProgressMs = 0;
  repeats = 0;
  maxStep: number | undefined;
  tokens: string[] = [];
  isFinished = false;
  isCondemned = false;
  seen = new Map<string, { readonly key: string; readonly scan: number; reported: boolean }>();

  constructor(id: string, now: number, taskMs: number, graceLeftMs: number) {
    this.id = id;
    this.taskMs = taskMs;
    this.registeredAt = now;
    this.progressAt = now;
    this.graceUntil = now + Math.min(30_000, graceLeftMs);
  }

  /** All waiting up to now, the open wait's part included, but never beyond its declared end. */
  waited(now: number): number {
    if (this.wait === undefined) return this.waitedMs;
    return this.waitedMs + Math.min(now, this.wait.until) - this.wait.from;
  }

  taskOverMs(now: number): number {
    const open = this.wait?.stopsTask === true ? this.waited(now) - this.waitedMs : 0;
    return now - this.registeredAt - this.taskWaitedMs - open - this.taskMs;
  }

  isWaiting(now: number): boolean {
    return this.wait !== undefined && now < this.wait.until;
  }

  advancesBy(step: number, token: string | undefined): boolean {
    if (this.maxStep === undefined || step > this.maxStep) return true;
    return step === this.maxStep && token !== undefined && !this.tokens.slice(-4).includes(token);
  }

  endWait(now: number): void {
    if (this.wait?.stopsTask === true) this.taskWaitedMs += this.waited(now) - this.waitedMs;
    this.waitedMs = this.waited(now);
    this.wait = undefined;
  }

  silentMs(now: number): number {
    return now - this.progressAt - (this.waited(now) - this.waitedAtProgressMs);
  }

  /** Each clock that has run out, with something that names this deadline and no other. */
  due(now: number): Map<string, Due> {
    const due = new Map<string, Due>();
    const stallOverMs = this.silentMs(now) - this.stallAfterMs;
    const mayStall = !this.isFinished && this.repeats >= 3 && !this.isWaiting(now);
    if (mayStall && stallOverMs >= 0) {
      due.set("stalled", {
        key: `${this.progressAt}/${this.stallAfterMs}/${this.waited(now)}`,
        overMs: stallOverMs,
      });
    }
    if (this.step !== undefined) {
      const overMs = now - this.step.armedAt - this.step.timeoutMs - this.step.slackMs;
      const key = `${this.step.armedAt + this.step.timeoutMs + this.step.slackMs}`;
      if (overMs >= 0) due.set("step_timeout", { key, overMs });
    }
    const taskOverMs = this.taskOverMs(now);
    const taskKey = `${now - taskOverMs}`;
    if (taskOverMs >= 0) due.set("task_timeout", { key: taskKey, overMs: taskOverMs });
    if (this.wait !== undefined && !this.isWaiting(now)) {
      due.set("wait_expired", { key: `${this.wait.until}`, overMs: 0 });
    }
    return due;
  }
}

/** The one that has been over for longest; WD-5 for what falls due together. */
function firstEnding(
  task: NaiveTask,
  due: ReadonlyMap<string, Due>,
  confirmed: readonly string[],
): string | undefined {
  const overMs = (kind: string): number => due.get(kind)?.overMs ?? 0;
  const ending = confirmed.filter((kind) => kind !== "wait_expired");
  const longest = Math.max(...ending.map(overMs));
  const first = ending.find((kind) => overMs(kind) === longest);
  if (first !== "step_timeout" || !due.has("stalled")) return first;
  return task.seen.get("stalled")?.reported === true ? undefined : "stalled";
}

export class NaiveWatchdog {
  readonly verdicts: string[] = [];
  readonly #tasks: NaiveTask[];
  #now = 0;
  #scan = 0;
  #opened = 0;
  readonly #periodMs: number;

  constructor(
    tasks: number,
    first: { readonly taskMs: number; readonly graceLeftMs: number },
    periodMs: number,
  ) {
    this.#periodMs = periodMs;
    this.#tasks = Array.from({ length: tasks }, () => this.#open(first.taskMs, first.graceLeftMs));
  }

  idOf(task: number): string {
    return this.#at(task).id;
  }

  apply(action: Action): void {
    if (action.type === "pass") return this.#pass(action.ms);
    const task = this.#at(action.task);
    switch (action.type) {
      case "beat":
        return this.#beat(task, action);
      case "begin-step":
        return this.#beginStep(task, action);
      case "end-step":
        task.step = undefined;
        return;
      case "wait":
        return this.#wait(task, action);
      case "end-wait":
        return task.endWait(this.#now);
      case "reopen":
        this.#tasks[action.task] = this.#open(action.taskMs, action.graceLeftMs);
    }
  }

  #beginStep(task: NaiveTask, step: Extract<Action, { type: "begin-step" }>): void {
    const slackMs = step.adaptive ? 5000 : 0;
    task.step = { armedAt: this.#now, timeoutMs: step.timeoutMs, slackMs };
    task.stallAfterMs = Math.max(task.stallAfterMs, step.timeoutMs);
  }

  #wait(task: NaiveTask, { on, ms }: Extract<Action, { type: "wait" }>): void {
    const until = this.#now + ms;
    if (task.isWaiting(this.#now) && task.wait?.on === on) {
      task.wait.until = Math.min(task.wait.until, until);
      return;
    }
    task.endWait(this.#now);
    const stopsTask = task.taskOverMs(this.#now) < 0;
    task.wait = { on, from: this.#now, until, stopsTask };
  }

  #beat(task: NaiveTask, beat: Extract<Action, { type: "beat" }>): void {
    task.isFinished = beat.status === "FINISHED";
    const isBaseline = task.maxStep === undefined;
    if (!isBaseline && !task.advancesBy(beat.step, beat.token)) {
      task.repeats += 1;
      return;
    }
    if (beat.step !== task.maxStep) task.tokens = [];
    if (beat.token !== undefined) task.tokens.push(beat.token);
    task.maxStep = beat.step;
    task.repeats = 0;
    task.progressAt = this.#now;
    task.waitedAtProgressMs = task.waited(this.#now);
    task.stallAfterMs = Math.max(10_000, task.step?.timeoutMs ?? 0);
    if (!isBaseline && task.step !== undefined) task.step.armedAt = this.#now;
  }

  #pass(ms: number): void {
    const until = this.#now + ms;
    while ((this.#scan + 1) * this.#periodMs <= until) {
      this.#scan += 1;
      this.#now = this.#scan * this.#periodMs;
      for (const task of this.#tasks) this.#look(task);
    }
    this.#now = until;
  }

  #look(task: NaiveTask): void {
    if (task.isCondemned) return;
    const due = task.due(this.#now);
    const kinds = ["stalled", "step_timeout", "task_timeout", "wait_expired"];
    const confirmed = kinds.filter((kind) => this.#isConfirmed(task, kind, due.get(kind)));
    const kind = firstEnding(task, due, confirmed);
    if (kind !== undefined) this.#report(task, kind);
    if (confirmed.includes("wait_expired")) {
      this.#say(task, "wait_expired");
      task.endWait(this.#now);
    }
  }

  /** Seen by the scan before as well, at this deadline and in this phase, and not reported. */
  #isConfirmed(task: NaiveTask, kind: string, clock: Due | undefined): boolean {
    const before = task.seen.get(kind);
    task.seen.delete(kind);
    if (clock === undefined) return false;
    const key = `${clock.key}/${kind !== "wait_expired" && this.#now < task.graceUntil}`;
    const isSame = before?.key === key;
    const reported = isSame && before.reported;
    task.seen.set(kind, { key, scan: this.#scan, reported });
    return isSame && before.scan === this.#scan - 1 && !reported;
  }

  #report(task: NaiveTask, kind: string): void {
    const isGraced = this.#now < task.graceUntil;
    this.#say(task, isGraced ? `would_${kind}` : kind);
    const seen = task.seen.get(kind);
    if (seen !== undefined) seen.reported = true;
    if (!isGraced) task.isCondemned = true;
  }

  #say(task: NaiveTask, kind: string): void {
    this.verdicts.push(`${this.#now} ${task.id} ${kind}`);
  }

  #open(taskMs: number, graceLeftMs: number): NaiveTask {
    this.#opened += 1;
    return new NaiveTask(`task ${this.#opened}`, this.#now, taskMs, graceLeftMs);
  }

  #at(index: number): NaiveTask {
    const task = this.#tasks[index];
    if (task === undefined) throw new Error(`There is no task ${index}.`);
    return task;
  }
}
