import type { LedgerState } from "./ledger-state.ts";
import type { Grant, OuterState } from "./outer-envelope.ts";

/** A `LedgerState` as plain JSON. */
export interface LedgerSnapshot {
  readonly runId: LedgerState["runId"];
  readonly traceId?: string | undefined;
  readonly linePercent: number;
  readonly envelopes: readonly (readonly [string, ReturnType<typeof copyEnvelope>])[];
  readonly open: readonly MapValue<LedgerState["open"]>[];
  readonly ended: readonly MapValue<LedgerState["ended"]>[];
  readonly fences: readonly (readonly [string, number])[];
  readonly endedAttempts: readonly (readonly [string, number])[];
  /** Without what is above: that is shared, and whoever keeps it restores it. */
  readonly grant?: Omit<Grant, "above"> | undefined;
}

type MapValue<Subject> = Subject extends Map<string, infer Value> ? Value : never;
type Envelope = MapValue<LedgerState["envelopes"]>;

/** A copy that later moves do not touch. Survives JSON: `restoreLedger(JSON.parse(JSON.stringify(snapshot)))`. */
export function snapshotLedger(state: LedgerState): LedgerSnapshot {
  return {
    runId: state.runId,
    traceId: state.traceId,
    linePercent: state.linePercent,
    envelopes: [...state.envelopes].map(([name, record]) => [name, copyEnvelope(record)]),
    open: Array.from(state.open.values(), (hold) => ({ ...hold })),
    ended: [...state.ended.values()],
    fences: [...state.fences],
    endedAttempts: [...state.endedAttempts],
    grant: state.grant && { given: state.grant.given, block: state.grant.block },
  };
}

/** `above`: the envelopes over many runs, the same as when it was made. */
export function restoreLedger(
  snapshot: LedgerSnapshot,
  above: readonly OuterState[] = [],
): LedgerState {
  return {
    runId: snapshot.runId,
    traceId: snapshot.traceId,
    linePercent: snapshot.linePercent,
    envelopes: new Map(snapshot.envelopes.map(([name, record]) => [name, copyEnvelope(record)])),
    open: new Map(snapshot.open.map((hold) => [hold.holdId, { ...hold }])),
    ended: new Map(snapshot.ended.map((hold) => [hold.holdId, hold])),
    fences: new Map(snapshot.fences),
    endedAttempts: new Map(snapshot.endedAttempts),
    grant: snapshot.grant && { above, given: snapshot.grant.given, block: snapshot.grant.block },
  };
}

function copyEnvelope(record: Envelope): Envelope {
  return {
    ...record,
    // Absent in JSON when undefined: named here so that both forms restore to the same value.
    parent: record.parent,
    trippedBy: record.trippedBy,
    frozenBy: [...record.frozenBy],
  };
}
