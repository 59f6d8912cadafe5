import type {
  Amounts,
  DecisionEvent,
  EnvelopeTerms,
  JournalEvent,
  LogEntry,
  OuterLimit,
  RunId,
  Spender,
  TaskId,
} from "@bridle/protocol";

import type { RunRow } from "./run-index.ts";

export interface NewRun {
  readonly runId: RunId;
  readonly traceId: string;
  readonly workflow: string;
  readonly version: number;
  /** The compiled spec as JSON text: a run pins what it was submitted with. */
  readonly compiled: string;
  /** The run's input as JSON text. */
  readonly input: string;
  readonly budget: EnvelopeTerms;
  /**
   * The envelopes over many runs that this one spends from: the API key's, then the installation's. Each stands from then on at the
   * limit that was told last.
   */
  readonly outer?: readonly OuterLimit[] | undefined;
  readonly idempotency?:
    | { readonly key: string; readonly bodyHash: string; readonly expiresAt: number }
    | undefined;
  /** The `run.submitted` entry. */
  readonly event: DecisionEvent;
  readonly at: number;
}

export type SubmitAnswer =
  | { readonly outcome: "created"; readonly runId: RunId; readonly traceId: string }
  /** Same idempotency key, same body: the run of the first submit. */
  | { readonly outcome: "same"; readonly runId: RunId; readonly traceId: string }
  /** Same idempotency key, another body. */
  | { readonly outcome: "conflict"; readonly runId: RunId }
  /** An outer envelope has too little left today for a run to begin; nothing of it was stored (BU-5). */
  | ({ readonly outcome: "day_spent" } & DaySpent);

export interface DaySpent {
  readonly scope: string;
  readonly dimension: keyof Amounts;
  /** What it has given out today. */
  readonly given: Amounts;
  readonly limit: Amounts;
}

/** A run as it was submitted, with where its log stands. */
export interface StoredRun extends RunRow {
  readonly compiled: string;
  readonly input: string;
  /** Decisions appended so far: the expected version of the next append. */
  readonly decisions: number;
  readonly seq: number;
  readonly snapshot?:
    | { readonly decisions: number; readonly seq: number; readonly state: string }
    | undefined;
}

export interface TimerEntry {
  /** Unique within the run; setting it again moves it. */
  readonly key: string;
  /** Wall milliseconds. */
  readonly at: number;
}

export interface OpenedEnvelope {
  readonly taskId: TaskId;
  readonly terms: EnvelopeTerms;
  /**
   * The task whose envelope it is carved from (LF-8): its limit is set aside there, or what that envelope can set aside if it is less.
   * Absent: a cap in the run's.
   */
  readonly carvedFrom?: TaskId | undefined;
}

/** What a scheduler commits in one atomic step: decisions and everything that must not come apart from them. */
export interface DecisionCommit {
  readonly runId: RunId;
  /** The partition lease this scheduler holds; an older epoch is refused. */
  readonly lease: { readonly name: string; readonly epoch: number };
  readonly expectedDecisions: number;
  readonly events: readonly DecisionEvent[];
  /** Inbox entries these decisions answer; deleted with the commit. */
  readonly consumed: readonly string[];
  /** The run's new status for the index, when it changed. */
  readonly status?: RunRow["status"] | undefined;
  /** Task envelopes (resolved input and terms) and fan-out lists as JSON text, by task id; replaced when set again. */
  readonly inputs: readonly { readonly taskId: TaskId; readonly body: string }[];
  readonly timersSet: readonly TimerEntry[];
  readonly timersCleared: readonly string[];
  readonly envelopesOpened: readonly OpenedEnvelope[];
  /**
   * What is set aside for first attempts of tasks whose envelopes this commit opens, by the ladder's rule. When one cannot be, the
   * commit is refused as a whole.
   */
  readonly openings?:
    | readonly { readonly taskId: TaskId; readonly holdId: string; readonly amounts: Amounts }[]
    | undefined;
  /** Task ids, or `run`, after which nothing can be reserved there. */
  readonly envelopesClosed: readonly (TaskId | "run")[];
  /** Attempts whose workers are to stop. */
  readonly cancels: readonly {
    readonly taskId: TaskId;
    readonly attempt: number;
    readonly reason: string;
  }[];
  /** For the workers of these tasks: JSON text under a key. The first answer under a key stands. */
  readonly answers?:
    | readonly { readonly taskId: TaskId; readonly key: string; readonly body: string }[]
    | undefined;
  /** The run's output as JSON text, with the terminal decision. */
  readonly output?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly at: number;
}

export type CommitAnswer =
  | { readonly committed: true; readonly seq: number; readonly decisions: number }
  | {
      readonly committed: false;
      readonly reason: "version" | "lease" | "unknown_run" | "opening_refused";
    };

/**
 * The log of every run: decisions and journal under one gap-free sequence given in commit order.
 * Contract: a run's `run.finished` is its last entry; journal entries of attempts older than the fence are refused. A commit
 * that makes the run's status terminal closes its envelope and clears its timers, said or not (BU-6). Entries of closed
 * envelopes come before the decisions of their commit.
 */
export interface RunLog {
  /**
   * Stores the run, its first entry, its `run` envelope and its index row together, once per idempotency key. A repeated submit is
   * answered as before, however the day stands.
   */
  submit(run: NewRun): Promise<SubmitAnswer>;
  load(runId: RunId): Promise<StoredRun | undefined>;
  commit(commit: DecisionCommit): Promise<CommitAnswer>;
  /** Appends what a worker did. False when the attempt is fenced or its run has ended: nothing was stored. */
  journal(spender: Spender, events: readonly JournalEvent[]): Promise<boolean>;
  /** Entries after `afterSeq`, in order, at most `limit`. */
  read(
    runId: RunId,
    options: {
      readonly afterSeq: number;
      readonly limit: number;
      readonly decisionsOnly?: boolean;
    },
  ): Promise<readonly LogEntry[]>;
  /** A task envelope or fan-out list as JSON text. */
  input(runId: RunId, taskId: TaskId): Promise<string | undefined>;
  /** The accepted output of a task, or of the run (`run`), as JSON text. */
  output(runId: RunId, taskId: TaskId | "run"): Promise<string | undefined>;
  /** Many accepted outputs at once, in the order asked; undefined where there is none. Fails when they exceed `maxBytes` together. */
  outputs(
    runId: RunId,
    taskIds: readonly TaskId[],
    maxBytes: number,
  ): Promise<readonly (string | undefined)[] | "too_large">;
}
