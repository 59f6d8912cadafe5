import type { AskedTask, RunId, TaskId, TaskOutcome } from "@bridle/protocol";

export type InboxMessage =
  | {
      readonly kind: "finished";
      readonly taskId: TaskId;
      readonly attempt: number;
      readonly outcome: TaskOutcome;
    }
  | {
      readonly kind: "cancel";
      readonly taskId?: TaskId | undefined;
      readonly reason: string;
      readonly by: string;
    }
  /** An attempt asks for a task (LF-8). What is decided of it is found among the `answers`. */
  | ({ readonly kind: "spawn" } & AskedTask)
  | { readonly kind: "pause"; readonly reason: string; readonly by: string }
  | { readonly kind: "resume"; readonly by: string };

export interface InboxEntry {
  readonly id: string;
  readonly runId: RunId;
  readonly message: InboxMessage;
}

/** What schedulers must fold. Entries leave it only with the commit that answers them, so none is lost to a crash. */
export interface Inbox {
  /** Publishes on the feed channel `inbox`. A `cancel` also closes the envelope, of the task or of the run, in the same step. */
  put(runId: RunId, message: InboxMessage, at: number): Promise<void>;
  /** Oldest first. Reading does not remove. */
  read(limit: number): Promise<readonly InboxEntry[]>;
  /** What schedulers have answered this task's workers under these keys, in their order; undefined where nothing is yet. */
  answers(
    runId: RunId,
    taskId: TaskId,
    keys: readonly string[],
  ): Promise<readonly (string | undefined)[]>;
  /** For entries of runs that are gone or ended. */
  discard(ids: readonly string[]): Promise<void>;
}
