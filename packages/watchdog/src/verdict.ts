/** What a step is: a model call, a tool call, or `ctx.step`. Decides which layer is blamed for its silence. */
export type StepKind = "llm" | "tool" | "step";

/** The layer that is silent (WD-20). */
export type Layer = "stream" | "tool" | "process" | "event_loop" | "store";

/** `wait_expired` ends only the wait; each of the others is the end cause of that name. */
export type VerdictKind =
  | "stalled"
  | "step_timeout"
  | "task_timeout"
  | "wait_cycle"
  | "wait_expired";

/** `enforce`: verdicts are acted on. `warn`: they are reported as `would`, never more. `off`: there are none (GC-4). */
export type GuardMode = "enforce" | "warn" | "off";

/** What the table knows of a task when one of its clocks has run out. Durations in milliseconds. */
export interface Finding {
  readonly kind: VerdictKind;
  /** Set when nothing may be done about it: the task is inside its grace (WD-10), or the guard only warns (GC-4). */
  readonly would: "grace" | "warn" | undefined;
  readonly layer: Layer;
  /** Highest step ever seen. */
  readonly step: number;
  readonly repeatBeats: number;
  /** Time without progress, waits left out. */
  readonly silentMs: number;
  /** How long the clock that ran out had been running. */
  readonly afterMs: number;
}

/** A finding with its place. A verdict whose generation is not the slot's any more is about a task that has ended. */
export interface Verdict extends Finding {
  readonly slot: number;
  readonly generation: number;
}

/**
 * What one beat was. `went_back`: a repeat that also named a lower step than before. `stale`: of a task that has ended;
 * ignored and counted.
 */
export type BeatOutcome = "baseline" | "progress" | "repeat" | "went_back" | "stale";
