import type { CompiledWorkflow } from "@bridle/dag";
import type { Amounts, EnvelopeState, HoldState, LogEntry } from "@bridle/protocol";

/** Ids are plain text here: an observation is what a stranger would write down. */
export interface WhoSpends {
  readonly runId: string;
  readonly taskId: string;
  readonly attempt: number;
}

export type EnvelopeFigures = Pick<
  EnvelopeState,
  "envelope" | "limit" | "settled" | "reserved" | "closed" | "carvedFrom"
>;
/** The first line of defence that turns somebody away; behind some of them a second one would do so as well. */
export type Refusal = "fenced" | "lease" | "version";
export type HoldFigures = Pick<HoldState, "taskId" | "attempt" | "amounts">;

/** What was seen in the store, at the provider and in the agents, in the order in which it happened. */
export type Observation =
  | { readonly type: "submitted"; readonly runId: string; readonly workflow: CompiledWorkflow }
  /** The whole ledger of a run after any move of it. */
  | {
      readonly type: "ledger";
      readonly runId: string;
      readonly envelopes: readonly EnvelopeFigures[];
      readonly holds: readonly HoldFigures[];
    }
  /** An outer envelope after a move of a run below it. `blocks`: what runs hold of its day; `overruns`: what calls cost beyond their holds. */
  | {
      readonly type: "day";
      readonly scope: string;
      readonly limit: Amounts;
      readonly given: Amounts;
      readonly blocks: Amounts;
      readonly overruns: Amounts;
    }
  /** A reservation was admitted; the envelopes above it as they stand with it. */
  | {
      readonly type: "admitted";
      readonly runId: string;
      readonly asked: Amounts;
      readonly path: readonly EnvelopeFigures[];
    }
  | { readonly type: "entry"; readonly runId: string; readonly entry: LogEntry }
  | {
      readonly type: "fenced";
      readonly runId: string;
      readonly taskId: string;
      readonly fence: number;
    }
  | ({ readonly type: "claimed"; readonly fence: number } & WhoSpends)
  /** A result was accepted. `output`: the attempt that the output says it is from. */
  | ({
      readonly type: "finished";
      readonly outputOf: number | undefined;
      /** Earliest next try that the failure names. */
      readonly retryAfterMs: number | undefined;
    } & WhoSpends)
  /** What the store answered. `due`: how the first check on the way must refuse it, as things stood when it arrived. */
  | {
      readonly type: "answered";
      readonly what: string;
      readonly due: Refusal | undefined;
      readonly answer: string;
    }
  /** A scheduler is about to fence and enqueue attempts, or to fence off lost ones. */
  | {
      readonly type: "dispatching";
      readonly runId: string;
      readonly attempts: readonly { readonly taskId: string; readonly attempt: number }[];
    }
  /** A scheduler is about to queue it. `isInformed`: false when another one has its lease, or a commit that it gave up was made, and it does not know yet. */
  | ({
      readonly type: "enqueued";
      readonly fence: number;
      readonly isInformed: boolean;
    } & WhoSpends)
  /** Something left the inbox of a run that goes on, without the commit that answers it. */
  | { readonly type: "dropped"; readonly runId: string; readonly kind: string }
  /** Somebody's cancel reached the store. */
  | {
      readonly type: "ordered";
      readonly runId: string;
      readonly envelope: string;
      readonly isClosed: boolean;
    }
  /** A worker took work, sent a call, or an agent of it went on. `silentMs`: since it sent its last renewal that was answered, by its clock. */
  | {
      readonly type: "stirred";
      readonly bootId: string;
      readonly by: string;
      readonly silentMs: number;
    }
  /** A worker gave its lease back. `renewals`: how many of its own had been sent and not answered. */
  | { readonly type: "left"; readonly bootId: string; readonly renewals: number }
  /** A hold ended for want of renewal. `contactMs`: for how long its owner's lease had stood without a gap. */
  | ({
      readonly type: "expired";
      readonly holdId: string;
      /** Its call was at the provider. */
      readonly isOut: boolean;
      /** Since it was reserved or last renewed, by the store's clock. */
      readonly ageMs: number;
      readonly contactMs: number;
      /** How far the wall clock of whoever ended it is before its owner's, or was when the owner dated it, whichever is more. */
      readonly skewMs: number;
    } & WhoSpends)
  /** The ledger let a call out. */
  | ({
      readonly type: "dispatched";
      readonly step: number;
      readonly holdId: string;
      readonly fence: number;
      readonly isClosed: boolean;
      /** Breakers that this worker's own events say are open. */
      readonly open: readonly string[];
    } & WhoSpends)
  /** The provider was asked. `atMs`: by the worker's monotonic clock. */
  | ({
      readonly type: "sent";
      readonly step: number;
      readonly call: number;
      readonly target: string;
      readonly atMs: number;
    } & WhoSpends)
  /** The provider answered that it must not be asked again before `untilMs` of the worker's clock. */
  | ({
      readonly type: "throttled";
      readonly call: number;
      readonly target: string;
      readonly untilMs: number;
    } & WhoSpends)
  /** A side effect of a step that must not be repeated. */
  | {
      readonly type: "effect";
      readonly runId: string;
      readonly taskId: string;
      readonly name: string;
    }
  /** A look at a world without faults: what has not moved for longer than it may, in words. */
  | { readonly type: "look"; readonly stuck: readonly string[] }
  /** Faults are over and everything had its time; what is left over. */
  | {
      readonly type: "end";
      readonly unfinished: readonly string[];
      readonly reserved: readonly { readonly runId: string; readonly amounts: Amounts }[];
      /** Days of which runs that have ended hold money that they did not spend. */
      readonly blocks: readonly string[];
      readonly openHolds: number;
      readonly inbox: number;
      readonly dueTimers: number;
      readonly leases: readonly string[];
      readonly clockTimers: readonly string[];
      readonly permits: readonly string[];
    };

/** One rule over a history: undefined while it holds, a sentence when it is broken. */
export type Invariant = (observation: Observation) => string | undefined;
