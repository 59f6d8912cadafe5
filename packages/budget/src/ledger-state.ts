import type {
  Amounts,
  EnvelopeState,
  EnvelopeTerms,
  HoldEnd,
  HoldState,
  RunId,
  Spender,
  TaskId,
} from "@bridle/protocol";
import { addAmounts, noAmounts } from "@bridle/protocol";

import { initialGrant, selectLeft } from "./outer-envelope.ts";
import type { Grant, OuterState } from "./outer-envelope.ts";
import type { Dimension } from "./trip-line.ts";
import { defaultLinePercent } from "./trip-line.ts";

/** `run`, or the id of a task. No task may be called `run` in a ledger: the run's envelope has that name. */
export type EnvelopeName = TaskId | "run";

/** One envelope as the ledger keeps it. `parent` is the next level up; undefined for the run's own. */
export interface EnvelopeRecord {
  terms: EnvelopeTerms;
  readonly parent: EnvelopeName | undefined;
  settled: Amounts;
  reserved: Amounts;
  trippedBy: Dimension | undefined;
  closed: boolean;
  readonly frozenBy: string[];
  /** Its limit was set aside in `parent` when it opened, and what of it is not spent stays so till it closes (LF-8). */
  readonly isCarved: boolean;
}

export interface OpenHold extends Spender {
  readonly holdId: string;
  readonly step: number;
  readonly amounts: Amounts;
  status: "held" | "dispatched";
  /** Wall ms of the reservation or the last renewal. */
  renewedAt: number;
}

/** What is left of a hold that has ended: enough to give later endings the first answer (BU-11). */
export interface Tombstone extends Spender {
  readonly holdId: string;
  readonly step: number;
  readonly amounts: Amounts;
  readonly answer: HoldEnd;
  /** Wall ms. */
  readonly endedAt: number;
}

/**
 * The ledger of one run. Plain data, changed in place by `reduceLedger` so that a move costs O(levels), not O(holds);
 * take `snapshotLedger` for a value that stands still, or to store one.
 */
export interface LedgerState {
  readonly runId: RunId;
  readonly traceId: string | undefined;
  readonly linePercent: number;
  readonly envelopes: Map<string, EnvelopeRecord>;
  readonly open: Map<string, OpenHold>;
  readonly ended: Map<string, Tombstone>;
  /** Attempts below this number are fenced (BU-6). */
  readonly fences: Map<string, number>;
  /** Highest attempt that has ended: neither it nor an older one may reserve again. */
  readonly endedAttempts: Map<string, number>;
  /** What the run holds of the envelopes above it; undefined when there are none (BU-5). */
  readonly grant: Grant | undefined;
}

export interface LedgerConfig {
  readonly runId: RunId;
  readonly traceId?: string | undefined;
  readonly terms: EnvelopeTerms;
  /** Share of a limit at which an envelope trips, in whole percent from 1 to 100. Default 90 (BU-9). */
  readonly linePercent?: number | undefined;
  /** Envelopes over many runs that this one spends from. Each run below one is given the same object. */
  readonly above?: readonly OuterState[] | undefined;
}

/** A ledger with the run's envelope and nothing else: a task spends only after its own was opened (G1). */
export function initialLedger(config: LedgerConfig): LedgerState {
  const linePercent = config.linePercent ?? defaultLinePercent;
  if (!Number.isInteger(linePercent) || linePercent < 1 || linePercent > 100) {
    throw new RangeError(`linePercent must be a whole number from 1 to 100, not ${linePercent}.`);
  }
  return {
    runId: config.runId,
    traceId: config.traceId,
    linePercent,
    envelopes: new Map([["run", newEnvelope(config.terms, undefined)]]),
    open: new Map(),
    ended: new Map(),
    fences: new Map(),
    endedAttempts: new Map(),
    grant: grantOf(config.above),
  };
}

function grantOf(above: readonly OuterState[] = []): Grant | undefined {
  return above.length === 0 ? undefined : initialGrant(above);
}

export function newEnvelope(
  terms: EnvelopeTerms,
  parent: EnvelopeName | undefined,
  isCarved = false,
): EnvelopeRecord {
  return {
    terms,
    parent,
    settled: noAmounts,
    reserved: noAmounts,
    trippedBy: undefined,
    closed: false,
    frozenBy: [],
    isCarved,
  };
}

export function selectEnvelope(state: LedgerState, name: EnvelopeName): EnvelopeState | undefined {
  const record = state.envelopes.get(name);
  return record && viewOf(state, name, record);
}

/** The run's first, then in the order they were opened. */
export function selectEnvelopes(state: LedgerState): readonly EnvelopeState[] {
  return [...state.envelopes].map(([name, record]) => viewOf(state, name, record));
}

/** In the order they were reserved. */
export function selectOpenHolds(state: LedgerState): readonly HoldState[] {
  return Array.from(
    state.open.values(),
    ({ runId, taskId, attempt, holdId, step, amounts, status }) => ({
      runId,
      taskId,
      attempt,
      holdId,
      step,
      amounts,
      status,
    }),
  );
}

/** What was charged since that wall ms. */
export function selectCharged(state: LedgerState, since: number): Amounts {
  let charged = noAmounts;
  for (const { answer, endedAt } of state.ended.values()) {
    if (answer.end === "settled" && endedAt >= since) charged = addAmounts(charged, answer.charged);
  }
  return charged;
}

function viewOf(state: LedgerState, envelope: string, record: EnvelopeRecord): EnvelopeState {
  const above = envelope === "run" ? aboveOf(state.grant) : undefined;
  return {
    envelope,
    ...record.terms,
    settled: record.settled,
    reserved: record.reserved,
    tripped: record.trippedBy !== undefined,
    closed: record.closed,
    frozenBy: [...record.frozenBy],
    // The run's own envelope was not carved from any.
    ...(record.isCarved ? { carvedFrom: record.parent as TaskId } : {}),
    ...(above === undefined ? {} : { above }),
  };
}

function aboveOf(grant: Grant | undefined): EnvelopeState["above"] {
  return grant && { granted: grant.given, left: selectLeft(grant) };
}
