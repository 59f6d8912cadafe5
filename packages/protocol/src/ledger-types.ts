import type { Amounts } from "./amounts.ts";
import type { RunId, TaskId } from "./ids.ts";

/** Limits of one envelope; `unlimited` is `Number.MAX_SAFE_INTEGER`, so that every comparison stays an integer one. */
export interface EnvelopeTerms {
  readonly limit: Amounts;
  /** BU-9: `credit` admits to the full limit and trips at 90 %; `strict` admits to 90 % only. */
  readonly creditMode: "credit" | "strict";
  /** Who may still reserve after the trip. */
  readonly onTrip: "ladder" | "cache" | "nothing";
}

/**
 * A limit over many runs, by the day: of an installation or of an API key. `scope` is `installation/day` or `key:<id>/day`, which no
 * task can be called.
 */
export interface OuterLimit {
  readonly scope: string;
  readonly limit: Amounts;
}

/** How a day stands (BU-5). `given` lies with runs or was spent by them; what ended runs did not spend is not in it. */
export interface OuterEnvelopeState extends OuterLimit {
  /** Days since 1970 in UTC. */
  readonly day: number;
  readonly given: Amounts;
  readonly spent: Amounts;
}

/** The envelope of a run, or of one of its tasks (an item of a fan-out has its own). */
export interface EnvelopeState extends EnvelopeTerms {
  /** `run`, or the task id. */
  readonly envelope: string;
  readonly settled: Amounts;
  readonly reserved: Amounts;
  readonly tripped: boolean;
  readonly closed: boolean;
  /** Ids of what froze it; frozen while not empty (BR-17). */
  readonly frozenBy: readonly string[];
  /**
   * The envelope of the task that spawned this one, which it was carved from: what it has not spent yet is reserved there (LF-8).
   * Absent: the run's own, or a task's cap in it.
   */
  readonly carvedFrom?: TaskId | undefined;
  /**
   * Of a run below outer envelopes: what they have given it so far, and what they could give it yet, as of the last time that anybody
   * took from them.
   */
  readonly above?: { readonly granted: Amounts; readonly left: Amounts } | undefined;
}

/** Identity of the attempt that spends: every ledger call carries it, older attempts are refused (BU-6). */
export interface Spender {
  readonly runId: RunId;
  readonly taskId: TaskId;
  readonly attempt: number;
}

export interface ReserveRequest extends Spender {
  readonly holdId: string;
  readonly step: number;
  readonly amounts: Amounts;
  /**
   * `ladder` reservations may use the credit remainder after a trip. `unenforced` ones are admitted beyond every limit, so
   * that a budget guard that refuses nothing books what is spent; fences and closed envelopes refuse them too.
   */
  readonly kind: "normal" | "ladder" | "unenforced";
  /** Milliseconds of the worker's wall clock, for the log entry. */
  readonly at: number;
}

export type RefusalKind = "never_fits" | "transient" | "tripped" | "frozen" | "closed" | "fenced";

/** BU-8: which level refused, by which dimension, and the figures it rests on. Nothing was changed. */
export interface ReserveRefusal {
  readonly admitted: false;
  readonly refusal: RefusalKind;
  readonly envelope: string;
  readonly dimension: keyof Amounts | "none";
  readonly requested: Amounts;
  readonly settled: Amounts;
  readonly reserved: Amounts;
  readonly limit: Amounts;
}

export type ReserveAnswer = { readonly admitted: true; readonly holdId: string } | ReserveRefusal;

export interface SettleRequest extends Spender {
  readonly holdId: string;
  readonly actual: Amounts;
  readonly basis: "usage" | "best_knowledge" | "unknown";
  readonly at: number;
}

/** What the first ending of a hold did; later endings get the same answer and change nothing (BU-11). */
export type HoldEnd =
  | {
      readonly end: "settled";
      readonly charged: Amounts;
      readonly overrun: boolean;
      readonly basis: SettleRequest["basis"];
    }
  | { readonly end: "released" }
  /** No such hold: it was never admitted, or its run is over and its tombstone gone. */
  | { readonly end: "unknown_hold" };

/** What one run was charged in a span of time, and its envelope as it stands now. */
export interface RunSpending {
  readonly runId: RunId;
  readonly charged: Amounts;
  readonly settled: Amounts;
  readonly reserved: Amounts;
  readonly limit: Amounts;
}

/** `total`: of all runs, also of those that `runs` has no room for. */
export interface Spending {
  readonly runs: readonly RunSpending[];
  readonly total: Amounts;
}

export type HoldStatus = "held" | "dispatched" | "settled" | "released" | "expired";

export interface HoldState extends Spender {
  readonly holdId: string;
  readonly step: number;
  readonly amounts: Amounts;
  readonly status: HoldStatus;
}
