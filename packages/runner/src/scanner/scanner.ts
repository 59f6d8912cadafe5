import type { Clock } from "@bridle/kernel";
import type { Beat } from "@bridle/protocol";
import type { BeatOutcome, Finding, GuardMode, StepKind } from "@bridle/watchdog";

/** A verdict about one watch, by the id its owner gave it. */
export interface WatchVerdict extends Finding {
  readonly watchId: string;
}

/** The scanner killed a process group itself, because the main loop did not answer (WD-13). */
export interface ScannerKill {
  readonly watchId: string;
  /** The group that got SIGKILL. */
  readonly pid: number;
  /** `verdict`: nobody acknowledged it in time. `order`: the group outlived the time its owner gave it. */
  readonly because: "verdict" | "order";
}

/** Something about the scanner's own circumstances. */
export type ScannerSignal =
  /** The scanner itself was not run for `gapMs` (suspend, overload); deadlines were moved by that much (WD-12). */
  | { readonly type: "clock_gap"; readonly gapMs: number }
  /** The main loop did not turn for `lagMs`; what depends on its beats is judged afresh (B107). */
  | { readonly type: "loop_lag"; readonly lagMs: number }
  /** The scanner's thread broke; another one takes over the same memory (`guard.degraded`). */
  | { readonly type: "thread_failed"; readonly message: string };

export interface ScannerOptions {
  /** The thread measures with the system's monotonic clock, so `createScanner` needs `systemClock`; `createLocalScanner` takes any. */
  readonly clock: Clock;
  /** Most watches at a time. */
  readonly slots: number;
  /** Time between scans. Default 1000 ms (WD-12). */
  readonly periodMs?: number | undefined;
  /** How long a verdict or a due kill order may stay unanswered before the scanner kills. Default 2000 ms (WD-13). */
  readonly answerWithinMs?: number | undefined;
  /** Default `enforce`. */
  readonly mode?: GuardMode | undefined;
  /** What happens when the loop is blocked while an inline watch is open. */
  readonly blockedLoop?: BlockedLoopOptions | undefined;
  /** Contract: called on the main loop, each verdict once. May throw: the scanner goes on. Must not block. */
  readonly onVerdict: (verdict: WatchVerdict) => void;
  /** Contract: as `onVerdict`; called after the fact, once the main loop turns again. */
  readonly onKilled: (kill: ScannerKill) => void;
  /** Contract: as `onVerdict`. */
  readonly onSignal?: ((signal: ScannerSignal) => void) | undefined;
  /** Told what one of the above threw (GC-3). Default: nobody is. */
  readonly onHandlerError?: ((error: unknown) => void) | undefined;
}

export interface BlockedLoopOptions {
  /** Default 10 000 ms. */
  readonly afterMs?: number | undefined;
  /**
   * `end_process` (default): the thread writes one line of JSON to stderr, kills every watched group and ends this
   * process with SIGKILL: a thread cannot choose an exit code, so supervisors see 137. `report`: `loop_lag` only.
   */
  readonly action?: "end_process" | "report" | undefined;
}

export interface WatchOptions {
  /** Names the watch in verdicts, and is what another watch names in `waiting(on)` to wait for this one. Unique while open. */
  readonly id: string;
  /** Length of the task clock (one attempt). */
  readonly taskMs: number;
  /** Timeout of a step that names none. Default 120 000 ms. */
  readonly stepMs?: number | undefined;
  /** What is left of the task's 60 s of grace over its attempts (WD-10). Default 60 000 ms; 0 for none. */
  readonly graceLeftMs?: number | undefined;
  /** Process group of the isolate, once there is one. */
  readonly pid?: number | undefined;
  /** The task runs on this process's own loop (`inline`). Default false. */
  readonly inline?: boolean | undefined;
}

export interface StepOptions {
  readonly kind: StepKind;
  /** Default: the watch's `stepMs`. */
  readonly timeoutMs?: number | undefined;
  /** True for a timeout that was computed rather than configured: it gets 5 s of slack (WD-11). */
  readonly adaptive?: boolean | undefined;
}

/** One attempt under watch. Every call after `close` is ignored. None of them blocks, throws for late calls, or sends a message. */
export interface Watch {
  readonly id: string;
  beat(beat: Beat): BeatOutcome;
  /** One wire call or tool call begins: its own clock starts, no other is touched (WD-2). Ends a step still open. */
  beginStep(step: StepOptions): void;
  endStep(): void;
  /** The task waits on something for at most `ms`: stall and task clock stand still meanwhile (WD-7). Saying it again extends nothing. */
  waiting(on: string, ms: number): void;
  endWait(): void;
  /** The process group to kill; `undefined` as soon as it is known to be gone, before its number can be used again. */
  setPid(pid: number | undefined): void;
  /** Answers a verdict and orders: unless `acknowledge` or `close` comes within `afterMs` + `answerWithinMs`, the scanner kills the group. */
  orderKill(afterMs: number): void;
  /** Answers a verdict or an order: the main loop has seen to it, the scanner need not. */
  acknowledge(): void;
  /** Ends the watch. What it used of the grace is subtracted from what the next attempt gets. */
  close(): { readonly graceUsedMs: number };
}

export interface Scanner {
  watch(options: WatchOptions): Watch;
  /** Watches open now. */
  readonly open: number;
  /** Stops scanning and ends the thread. Open watches are left unwatched. Calling it twice is harmless. */
  close(): Promise<void>;
}
