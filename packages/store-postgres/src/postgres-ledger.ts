import type { Ledger } from "@bridle/ports";
import { asRunId, asTaskId } from "@bridle/protocol";
import type {
  Amounts,
  EnvelopeState,
  HoldEnd,
  HoldState,
  RefusalKind,
  ReserveAnswer,
  ReserveRequest,
  RunId,
  RunSpending,
  SettleRequest,
} from "@bridle/protocol";

import { fromColumn, toColumn, type AmountsColumn } from "./amounts-columns.ts";
import { LedgerBatches, type MoveColumns } from "./ledger-batches.ts";
import type { Hints } from "./postgres-feed.ts";
import { call, type SqlDatabase } from "./sql-database.ts";

interface ReserveRow {
  readonly refusal: RefusalKind | null;
  readonly envelope: string;
  readonly dimension: keyof Amounts | "none";
  readonly settled: AmountsColumn | null;
  readonly reserved: AmountsColumn | null;
  readonly limits: AmountsColumn | null;
}

interface EndRow {
  readonly ending: "settled" | "released" | null;
  readonly charged: AmountsColumn | null;
  readonly overrun: boolean | null;
  readonly basis: SettleRequest["basis"] | null;
}

interface EnvelopeRow {
  readonly name: string;
  readonly limits: AmountsColumn;
  readonly credit_mode: EnvelopeState["creditMode"];
  readonly on_trip: EnvelopeState["onTrip"];
  readonly settled: AmountsColumn;
  readonly reserved: AmountsColumn;
  readonly tripped_by: string | null;
  readonly closed: boolean;
  readonly frozen_by: readonly string[];
  readonly parent: string | null;
  readonly above: readonly string[];
  readonly granted: AmountsColumn;
  /** Absent where the envelope was not asked for with it. */
  readonly above_left?: AmountsColumn | null;
}

interface OuterRow {
  readonly scope: string;
  readonly limits: AmountsColumn;
  readonly day: number;
  readonly given: AmountsColumn;
  readonly spent: AmountsColumn;
}

interface SpendingRow {
  readonly run_id: string | null;
  readonly charged: AmountsColumn;
  readonly settled: AmountsColumn | null;
  readonly reserved: AmountsColumn | null;
  readonly limits: AmountsColumn | null;
}

interface HoldRow {
  readonly run_id: string;
  readonly hold_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly step: number;
  readonly amounts: AmountsColumn;
  readonly status: HoldState["status"];
}

/** `Ledger`: the rules are in `sql/0002-ledger.sql`, one function per operation; moves that come together: `0014`. */
export function postgresLedger(sql: SqlDatabase, hints: Hints): Ledger {
  return { ...holdMoves(sql, hints), ...envelopeMoves(sql, hints), ...ledgerViews(sql) };
}

function holdMoves(
  sql: SqlDatabase,
  hints: Hints,
): Pick<Ledger, "reserve" | "dispatch" | "settle" | "release" | "renew" | "expire"> {
  const batches = new LedgerBatches(sql);
  const end = async (runId: RunId, columns: MoveColumns): Promise<HoldEnd> => {
    const row = await batches.move<EndRow>(runId, columns);
    hints.run(runId);
    return holdEnd(row);
  };
  return {
    reserve: async (request) => {
      const row = await batches.move<ReserveRow>(request.runId, reserveColumns(request));
      if (row.refusal !== "fenced") hints.run(request.runId);
      return reserveAnswer(request, row);
    },
    dispatch: async ({ runId, taskId, attempt }, holdId) => {
      const columns = { ...untold, name: "dispatch", taskId, attempt, holdId } as const;
      return (await batches.move<{ dispatch: boolean }>(runId, columns)).dispatch;
    },
    settle: async ({ runId, taskId, attempt, holdId, actual, basis, at }) => {
      const named = { name: "end_hold", taskId, attempt, holdId, step: null } as const;
      return end(runId, { ...named, amounts: toColumn(actual), note: basis, at });
    },
    release: async ({ runId, taskId, attempt }, holdId, at) =>
      end(runId, { ...untold, name: "end_hold", taskId, attempt, holdId, at }),
    renew: async (holdIds, at) => {
      const values = [holdIds, at];
      await sql.run(call("renew_holds", values), values);
    },
    expire: async (olderThan, at) => {
      const values = [olderThan, at];
      return (await sql.one<{ expire_holds: number }>(call("expire_holds", values), values))
        .expire_holds;
    },
  };
}

function envelopeMoves(sql: SqlDatabase, hints: Hints): Pick<Ledger, "close" | "raise"> {
  return {
    close: async (runId, envelope, at) => {
      const values = [runId, envelope, at];
      await sql.run(call("close_envelope", values), values);
      hints.run(runId);
    },
    raise: async (runId, envelope, by, at) => {
      const values = [runId, envelope, toColumn(by), at];
      const row = await sql.first<EnvelopeRow>(
        `select e.*, bridle.above_left(e.above) as above_left
         from bridle.raise_envelope($1, $2, $3, $4) e`,
        values,
      );
      if (row !== undefined) hints.run(runId);
      return row && envelopeState(row);
    },
  };
}

function ledgerViews(
  sql: SqlDatabase,
): Pick<Ledger, "envelopes" | "openHolds" | "outer" | "spending"> {
  return {
    spending: async ({ since, by, limit }) => {
      const values = [since, by === "tokens" ? 1 : 2, limit];
      const rows = await sql.rows<SpendingRow>(call("spending", values), values);
      return { runs: rows.flatMap(runSpending), total: totalOf(rows) };
    },
    outer: async (at) => {
      const rows = await sql.rows<OuterRow>("select * from bridle.outer_envelopes($1)", [at]);
      return rows.map(({ scope, day, limits, given, spent }) => ({
        scope,
        day,
        limit: fromColumn(limits),
        given: fromColumn(given),
        spent: fromColumn(spent),
      }));
    },
    envelopes: async (runId) => {
      const rows = await sql.rows<EnvelopeRow>(
        "select e.*, bridle.above_left(e.above) as above_left from bridle.envelope e where run_id = $1 order by ordinal",
        [runId],
      );
      return rows.map(envelopeState);
    },
    openHolds: async (runId) => {
      const rows = await sql.rows<HoldRow>(
        "select * from bridle.hold where run_id = $1 and is_open order by ordinal",
        [runId],
      );
      return rows.map(holdState);
    },
  };
}

/** The row without a run is the sum of all. */
function totalOf(rows: readonly SpendingRow[]): Amounts {
  return fromColumn(rows.find(({ run_id: runId }) => runId === null)?.charged ?? null);
}

function runSpending(row: SpendingRow): readonly RunSpending[] {
  if (row.run_id === null) return [];
  return [
    {
      runId: asRunId(row.run_id),
      charged: fromColumn(row.charged),
      settled: fromColumn(row.settled),
      reserved: fromColumn(row.reserved),
      limit: fromColumn(row.limits),
    },
  ];
}

const untold = { step: null, amounts: null, note: null, at: null } as const;

function reserveColumns(request: ReserveRequest): MoveColumns {
  const { taskId, attempt, holdId, step, amounts, kind, at } = request;
  return {
    name: "reserve",
    taskId,
    attempt,
    holdId,
    step,
    amounts: toColumn(amounts),
    note: kind,
    at,
  };
}

function reserveAnswer(request: ReserveRequest, row: ReserveRow): ReserveAnswer {
  if (row.refusal === null) return { admitted: true, holdId: request.holdId };
  return {
    admitted: false,
    refusal: row.refusal,
    envelope: row.envelope,
    dimension: row.dimension,
    requested: request.amounts,
    settled: fromColumn(row.settled),
    reserved: fromColumn(row.reserved),
    limit: fromColumn(row.limits),
  };
}

function holdEnd({ ending, charged, overrun, basis }: EndRow): HoldEnd {
  if (ending === null) return { end: "unknown_hold" };
  if (ending === "released") return { end: "released" };
  return {
    end: "settled",
    charged: fromColumn(charged),
    overrun: overrun ?? false,
    basis: basis ?? "unknown",
  };
}

function envelopeState(row: EnvelopeRow): EnvelopeState {
  return {
    envelope: row.name,
    limit: fromColumn(row.limits),
    creditMode: row.credit_mode,
    onTrip: row.on_trip,
    settled: fromColumn(row.settled),
    reserved: fromColumn(row.reserved),
    tripped: row.tripped_by !== null,
    closed: row.closed,
    frozenBy: row.frozen_by,
    ...(row.parent === null ? {} : { carvedFrom: asTaskId(row.parent) }),
    ...(row.above.length === 0
      ? {}
      : { above: { granted: fromColumn(row.granted), left: fromColumn(row.above_left ?? null) } }),
  };
}

function holdState(row: HoldRow): HoldState {
  return {
    runId: asRunId(row.run_id),
    taskId: asTaskId(row.task_id),
    attempt: row.attempt,
    holdId: row.hold_id,
    step: row.step,
    amounts: fromColumn(row.amounts),
    status: row.status,
  };
}
