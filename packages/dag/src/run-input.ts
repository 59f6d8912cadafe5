import type { Amounts, AskedTask, TaskId, TaskOutcome } from "@bridle/protocol";

/** What happened outside, as the scheduler tells the core. `at` travels beside it, stamped by the scheduler. */
export type RunInput =
  | { readonly type: "start" }
  /** Answer to `evaluate-task`. `input` is stored by the shell; the core needs only what it decides by. */
  | { readonly type: "task-evaluated"; readonly taskId: TaskId; readonly result: TaskEvaluation }
  | {
      readonly type: "output-evaluated";
      readonly result:
        | { readonly ok: true }
        | { readonly ok: false; readonly code: string; readonly message: string };
    }
  | {
      readonly type: "task-finished";
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly outcome: TaskOutcome;
      /** What the run's envelope can still set aside for a simpler flow; absent: nothing, or it is not known. */
      readonly room?: Amounts | undefined;
    }
  | {
      readonly type: "task-lost";
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly bootId: string;
    }
  | {
      readonly type: "cancel";
      readonly taskId?: TaskId | undefined;
      readonly reason: string;
      readonly by: string;
    }
  | { readonly type: "pause"; readonly reason: string; readonly by: string }
  | { readonly type: "resume"; readonly by: string }
  /** The parking lot lets this task go: its breaker may be asked again, and it is its turn (BR-18). */
  | { readonly type: "release"; readonly taskId: TaskId; readonly attempt: number }
  | SpawnInput
  | { readonly type: "timer"; readonly key: string };

/** An attempt asks for a task (LF-8). */
export interface SpawnInput extends AskedTask {
  readonly type: "spawn";
  /** What the envelope of whoever asks can still set aside; absent: nothing, or it is not known. */
  readonly room?: Amounts | undefined;
}

export type TaskEvaluation =
  /** `if` was false. */
  | { readonly kind: "skip" }
  /** A plain task or one item: its input is resolved. */
  | { readonly kind: "ready" }
  /** A fan-out: its list is resolved and stored. */
  | { readonly kind: "list"; readonly length: number }
  | { readonly kind: "error"; readonly code: string; readonly message: string };
