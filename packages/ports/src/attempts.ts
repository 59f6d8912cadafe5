import type { JournalEvent, RunId, Spender, TaskId, TaskOutcome } from "@bridle/protocol";

export interface Claim extends Spender {
  readonly workerId: string;
  /** Names this start of the worker process; a restarted worker has another. */
  readonly bootId: string;
  readonly at: number;
}

export type ClaimAnswer =
  | {
      readonly claimed: true;
      /** The task envelope (`taskEnvelopeSchema` of protocol) as JSON text, as the scheduler stored it with `inputs`. */
      readonly envelope: string;
      readonly traceId: string;
      /** Milliseconds of grace this task's earlier attempts have used (WD-10). */
      readonly graceUsedMs: number;
    }
  | {
      readonly claimed: false;
      readonly reason: "fenced" | "already_claimed" | "closed" | "unknown_task";
    };

export interface Finish extends Spender {
  readonly bootId: string;
  readonly outcome: TaskOutcome;
  /** JSON text, with a completed outcome. */
  readonly output?: string | undefined;
  readonly graceUsedMs: number;
  /** What the attempt did last and is not in the log yet. */
  readonly journal?: readonly JournalEvent[] | undefined;
  readonly at: number;
}

export type FinishAnswer =
  | { readonly accepted: true }
  /** `fenced`: a newer attempt exists. `already_finished`: the first result stands. Holds are ended in every case. */
  | { readonly accepted: false; readonly reason: "fenced" | "already_finished" | "not_claimed" };

export interface OpenClaim extends Spender {
  readonly workerId: string;
  readonly bootId: string;
}

export interface StopOrder extends Spender {
  readonly reason: string;
}

/**
 * Who may work on what: fences, claims and results. Insert-once, decided by the store.
 * A claim stands in the run's log (`task.claimed`) from the moment it is given.
 * Contract: of any number of claims or finishes of one attempt, exactly one succeeds; none does below the fence.
 */
export interface Attempts {
  /**
   * Raises each task's fence to `attempt`; never lowers one. Raised again to where it stands, before anybody has claimed it, the
   * attempt counts as fenced now.
   */
  raiseFences(
    runId: RunId,
    fences: readonly { readonly taskId: TaskId; readonly attempt: number }[],
  ): Promise<void>;
  /**
   * Insert-once, exactly at the fence. `closed`: the run has ended, or its envelope or the task's is closed.
   * `unknown_task`: never fenced, or no envelope stored for it.
   */
  claim(claim: Claim): Promise<ClaimAnswer>;
  /**
   * Stores the result, ends every hold of the attempt (dispatched ones charged at their reserved amount, others
   * released) and puts an entry into the inbox, all or nothing. Its journal comes first, and only with an accepted result. Refused as `fenced`, it still means that the worker has let
   * go of its claim.
   */
  finish(finish: Finish): Promise<FinishAnswer>;
  /**
   * Attempts fenced but not claimed since before `olderThan` (wall ms), the longest first: their queue job may be lost. Those that are
   * fenced again stand behind the others, so that a page of attempts that nobody serves hides nothing.
   */
  unclaimed(olderThan: number, limit: number): Promise<readonly Spender[]>;
  /** Claimed, unfinished attempts at the fence whose worker's lease (`worker:<bootId>`) has lapsed. */
  lost(limit: number): Promise<readonly OpenClaim[]>;
  /** What this start of a worker has claimed and not finished: what it should have in hand. */
  held(bootId: string): Promise<readonly OpenClaim[]>;
  /** What this worker holds unfinished but should stop: cancelled, fenced by a newer attempt, or of an ended run. */
  stopOrders(bootId: string): Promise<readonly StopOrder[]>;
}

/** Results of `ctx.step` and of tools with side effects, kept over the attempts of a task. */
export interface StepJournal {
  /** Marks a step as begun. `begun`: an earlier attempt began it and left no result. */
  begin(
    spender: Spender,
    name: string,
  ): Promise<
    | { readonly state: "new" }
    | { readonly state: "begun" }
    | { readonly state: "done"; readonly result: string }
    | { readonly state: "fenced" }
  >;
  /** First result wins. False when fenced. */
  save(spender: Spender, name: string, result: string): Promise<boolean>;
}
