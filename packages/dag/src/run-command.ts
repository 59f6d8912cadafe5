import type { Amounts, ChildEnd, EnvelopeTerms, SpawnAnswer, TaskId } from "@bridle/protocol";

/**
 * What the shell is to do. Timers, envelopes and cancels go into the commit of the decisions they come with; evaluation
 * and dispatch follow it, and can be found again from the state (`pendingCommands`) when a crash came between.
 */
export type RunCommand =
  | { readonly type: "evaluate-task"; readonly taskId: TaskId }
  | { readonly type: "evaluate-output" }
  | {
      readonly type: "dispatch-task";
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly agent: string;
      readonly priority: "foreground" | "background";
    }
  | {
      readonly type: "cancel-attempt";
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly reason: string;
    }
  | { readonly type: "set-timer"; readonly key: string; readonly at: number }
  | { readonly type: "clear-timer"; readonly key: string }
  | {
      readonly type: "open-envelope";
      readonly taskId: TaskId;
      readonly terms: EnvelopeTerms;
      /** LF-8: the task whose envelope this one is carved from, by as much as its limit, or by what is there if that is less. */
      readonly carvedFrom?: TaskId | undefined;
    }
  /** The envelope of a spawned task, made of what was asked for, goes into the store with the decision. */
  | { readonly type: "store-input"; readonly taskId: TaskId; readonly input: string }
  /** For the worker that asked on behalf of this task; the first answer under a key stands. */
  | {
      readonly type: "answer";
      readonly taskId: TaskId;
      readonly key: string;
      readonly answer: SpawnAnswer | ChildEnd;
    }
  /** Sets aside in an envelope opened with it, in the commit of the decision: all of it happens, or nothing. */
  | {
      readonly type: "reserve-opening";
      readonly taskId: TaskId;
      readonly holdId: string;
      readonly amounts: Amounts;
    }
  | { readonly type: "close-envelope"; readonly envelope: TaskId | "run" };
