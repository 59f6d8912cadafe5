import type {
  Amounts,
  EnvelopeState,
  HoldEnd,
  HoldState,
  OuterEnvelopeState,
  ReserveAnswer,
  ReserveRequest,
  RunId,
  SettleRequest,
  Spender,
  Spending,
  TaskId,
} from "@bridle/protocol";

/**
 * The money. Each operation is atomic over the path run → task and writes its journal entry in the same commit
 * (`budget.reserved`, `.settled`, `.released`, `.overrun`, `.exhausted`, `.refused`, `.raised`, `.closed`).
 * Contract: settled + reserved ≤ limit at every admission but an `unenforced` one; each hold ends exactly once and later endings get the first
 * answer; a refusal changes nothing; a dispatched hold is never released for nothing (BU-11, BU-12, BU-22).
 * A task whose envelope was never opened is refused `closed`; an attempt that has finished is refused `fenced`.
 * Fences, closed envelopes and a run's end stop new spending (reserve, dispatch), never a charge: settle, release and
 * expire still book, though without journal entries once the run has ended. A `fenced` refusal writes no entry.
 * A run below outer envelopes is given their money in blocks: on demand, in the operation that is short of it; what it spends beyond
 * is charged to them in the operation that charges it; what it can spend no more goes back with its closing or its last hold's end,
 * whichever is later. No other operation touches them (BU-5).
 * Failure to answer means no money: callers fail closed.
 */
export interface Ledger {
  /** Repeating a call (same hold id, owner and amounts) gives the same admission and holds once. */
  reserve(request: ReserveRequest): Promise<ReserveAnswer>;
  /**
   * Marks the hold as having left for the provider. False when it is no longer held, fenced, or an envelope above it is
   * closed: do not send. Repeating it after a lost answer gives the same answer.
   */
  dispatch(spender: Spender, holdId: string): Promise<boolean>;
  settle(request: SettleRequest): Promise<HoldEnd>;
  /** Ends an undispatched hold without a charge; a dispatched one is settled at its reserved amount (`unknown`). */
  release(spender: Spender, holdId: string, at: number): Promise<HoldEnd>;
  /** Keeps live holds from expiring. */
  renew(holdIds: readonly string[], at: number): Promise<void>;
  /** Ends holds not renewed since before `olderThan`: undispatched released, dispatched settled as unknown. Returns how many. */
  expire(olderThan: number, at: number): Promise<number>;
  /** Nothing more can be reserved there; open holds go on to their end. Idempotent. */
  close(runId: RunId, envelope: TaskId | "run", at: number): Promise<void>;
  /** Adds to a limit; clears the trip when settled is below the new line. */
  raise(
    runId: RunId,
    envelope: TaskId | "run",
    by: Amounts,
    at: number,
  ): Promise<EnvelopeState | undefined>;
  /** The runs charged most since that wall ms, dearest first; ended ones, too (BB-1). */
  spending(query: {
    readonly since: number;
    readonly by: "tokens" | "nanoUsd";
    readonly limit: number;
  }): Promise<Spending>;
  /** Every outer envelope, by scope, as the day of this wall ms stands; an envelope that is in a later day tells of that one. */
  outer(at: number): Promise<readonly OuterEnvelopeState[]>;
  envelopes(runId: RunId): Promise<readonly EnvelopeState[]>;
  openHolds(runId: RunId): Promise<readonly HoldState[]>;
}
