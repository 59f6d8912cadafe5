import type {
  CommitAnswer,
  DecisionCommit,
  NewRun,
  RunLog,
  StoredRun,
  SubmitAnswer,
} from "@bridle/ports";
import { asRunId, isTerminalRun } from "@bridle/protocol";
import type { Amounts, LogEntry, OuterLimit, RunEvent } from "@bridle/protocol";

import { fromColumn, toColumn, type AmountsColumn } from "./amounts-columns.ts";
import { answerColumns, envelopeColumns } from "./commit-columns.ts";
import type { Hints } from "./postgres-feed.ts";
import { ownIds } from "./postgres-inbox.ts";
import { runRow, type RunColumns } from "./run-row.ts";
import { call, type SqlDatabase } from "./sql-database.ts";

interface StoredColumns extends RunColumns {
  readonly compiled: string;
  readonly input: string;
  readonly decisions: number;
  readonly seq: string;
  readonly snapshot_decisions: number | null;
  readonly snapshot_seq: string | null;
  readonly snapshot_state: string | null;
}

/** `RunLog`: see `sql/0003-log.sql`. */
export function postgresRunLog(sql: SqlDatabase, hints: Hints): RunLog {
  return { ...logMoves(sql, hints), ...logViews(sql), ...bodyViews(sql) };
}

function logMoves(sql: SqlDatabase, hints: Hints): Pick<RunLog, "submit" | "commit" | "journal"> {
  return {
    submit: async (run) => {
      const answer = await submit(sql, run);
      if (answer.outcome === "created") {
        hints.inbox(run.runId);
        hints.run(run.runId);
      }
      return answer;
    },
    commit: async (commit) => commitDecisions(sql, hints, commit),
    journal: async ({ runId, taskId, attempt }, events) => {
      const values = [runId, taskId, attempt, events.map(toText)];
      const { journal } = await sql.one<{ journal: boolean }>(call("journal", values), values);
      if (journal && events.length > 0) hints.run(runId);
      return journal;
    },
  };
}

function logViews(sql: SqlDatabase): Pick<RunLog, "load" | "read"> {
  return {
    load: async (runId) => {
      const row = await sql.first<StoredColumns>(
        `select r.*, b.compiled, b.input, h.decisions, h.seq,
           s.decisions as snapshot_decisions, s.seq as snapshot_seq, s.state as snapshot_state
         from bridle.run r join bridle.run_head h using (run_id) join bridle.run_body b using (run_id)
           left join bridle.run_snapshot s using (run_id)
         where r.run_id = $1`,
        [runId],
      );
      return row && storedRun(row);
    },
    read: async (runId, { afterSeq, limit, decisionsOnly = false }) => {
      const rows = await sql.rows<{ seq: string; event: string }>(
        `select seq, event from bridle.entry where run_id = $1 and seq > $2
         ${decisionsOnly ? "and is_decision" : ""} order by seq limit $3`,
        [runId, afterSeq, limit],
      );
      return rows.map(logEntry);
    },
  };
}

function bodyViews(sql: SqlDatabase): Pick<RunLog, "input" | "output" | "outputs"> {
  return {
    input: async (runId, taskId) => {
      const row = await sql.first<{ body: string }>(
        "select body from bridle.task_input where run_id = $1 and task_id = $2",
        [runId, taskId],
      );
      return row?.body;
    },
    output: async (runId, taskId) => {
      const row =
        taskId === "run"
          ? await sql.first<{ body: string | null }>(
              "select output as body from bridle.run_body where run_id = $1",
              [runId],
            )
          : await sql.first<{ body: string | null }>(
              "select body from bridle.task_output where run_id = $1 and task_id = $2",
              [runId, taskId],
            );
      return row?.body ?? undefined;
    },
    outputs: async (runId, taskIds, maxBytes) => {
      const rows = await sql.rows<{ body: string | null; fits: boolean }>(
        `with found as (
           select n, o.body from unnest($2::text[]) with ordinality as asked (task_id, n)
             left join bridle.task_output o on o.run_id = $1 and o.task_id = asked.task_id
         ), total as (select coalesce(sum(octet_length(body)), 0) <= $3 as fits from found)
         select case when fits then body end as body, fits from found, total order by n`,
        [runId, taskIds, maxBytes],
      );
      return rows.some(({ fits }) => !fits)
        ? "too_large"
        : rows.map(({ body }) => body ?? undefined);
    },
  };
}

interface SubmitRow {
  readonly outcome: SubmitAnswer["outcome"];
  readonly run_id: string;
  readonly trace_id: string;
  /** Of the envelope that refused. */
  readonly scope: string;
  readonly dimension: keyof Amounts;
  readonly given: AmountsColumn | null;
  readonly limits: AmountsColumn | null;
}

async function submit(sql: SqlDatabase, run: NewRun): Promise<SubmitAnswer> {
  const { budget, idempotency } = run;
  const values = [
    run.runId,
    run.traceId,
    run.workflow,
    run.version,
    run.compiled,
    run.input,
    toColumn(budget.limit),
    budget.creditMode,
    budget.onTrip,
    // As JSON: a client may put any character into its key.
    idempotency === undefined ? null : JSON.stringify(idempotency.key),
    idempotency?.bodyHash ?? null,
    idempotency?.expiresAt ?? null,
    toText(run.event),
    run.at,
    JSON.stringify((run.outer ?? []).map(outerColumns)),
  ];
  const row = await sql.one<SubmitRow>(call("submit", values), values);
  if (row.outcome === "day_spent") {
    const { outcome, scope, dimension } = row;
    return {
      outcome,
      scope,
      dimension,
      given: fromColumn(row.given),
      limit: fromColumn(row.limits),
    };
  }
  const runId = asRunId(row.run_id);
  return row.outcome === "conflict"
    ? { outcome: "conflict", runId }
    : { outcome: row.outcome, runId, traceId: row.trace_id };
}

async function commitDecisions(
  sql: SqlDatabase,
  hints: Hints,
  commit: DecisionCommit,
): ReturnType<RunLog["commit"]> {
  const { openings = [] } = commit;
  const values = commitValues(commit);
  const row = await (openings.length === 0
    ? sql.one<CommitRow>(call("commit_decisions", values), values)
    : commitWithOpenings(sql, openings, values));
  if (row.refusal !== null) return { committed: false, reason: row.refusal };
  hints.run(commit.runId);
  const hasWords = commit.cancels.length > 0 || (commit.answers?.length ?? 0) > 0;
  if (hasWords || isEnd(commit)) hints.orders(commit.runId);
  return { committed: true, seq: Number(row.seq), decisions: row.decisions };
}

interface CommitRow {
  readonly refusal: Extract<CommitAnswer, { committed: false }>["reason"] | null;
  readonly seq: string;
  readonly decisions: number;
}

async function commitWithOpenings(
  sql: SqlDatabase,
  openings: NonNullable<DecisionCommit["openings"]>,
  values: readonly unknown[],
): Promise<CommitRow> {
  const columns = openings.map(({ taskId, holdId, amounts }) => {
    const [tokens, nanoUsd, calls] = toColumn(amounts);
    return { taskId, holdId, tokens, nanoUsd, calls };
  });
  const all = [JSON.stringify(columns), ...values];
  return sql.one<CommitRow>(call("commit_with_openings", all), all);
}

/** In the order of `bridle.commit_decisions`. */
function commitValues(commit: DecisionCommit): readonly unknown[] {
  return [
    commit.runId,
    commit.lease.name,
    commit.lease.epoch,
    commit.expectedDecisions,
    commit.events.map(toText),
    ownIds(commit.consumed),
    commit.status ?? null,
    isEnd(commit),
    commit.inputs.map(({ taskId }) => taskId),
    commit.inputs.map(({ body }) => body),
    commit.timersSet.map(({ key }) => key),
    commit.timersSet.map(({ at }) => at),
    commit.timersCleared,
    JSON.stringify(commit.envelopesOpened.map(envelopeColumns)),
    commit.envelopesClosed,
    commit.cancels.map(({ taskId }) => taskId),
    commit.cancels.map(({ attempt }) => attempt),
    commit.cancels.map(({ reason }) => JSON.stringify(reason)),
    commit.output ?? null,
    commit.snapshot ?? null,
    commit.at,
    JSON.stringify((commit.answers ?? []).map(answerColumns)),
  ];
}

function outerColumns({ scope, limit }: OuterLimit) {
  const [tokens, nanoUsd, calls] = toColumn(limit);
  return { scope, tokens, nanoUsd, calls };
}

function isEnd({ status }: DecisionCommit): boolean {
  return status !== undefined && isTerminalRun(status);
}

function toText(event: RunEvent): string {
  return JSON.stringify(event);
}

function logEntry({ seq, event }: { readonly seq: string; readonly event: string }): LogEntry {
  // Only events that the type checker has seen are stored, and upcasters work on what comes out.
  return { ...(JSON.parse(event) as RunEvent), seq: Number(seq) };
}

function storedRun(row: StoredColumns): StoredRun {
  return {
    ...runRow(row),
    compiled: row.compiled,
    input: row.input,
    decisions: row.decisions,
    seq: Number(row.seq),
    snapshot:
      row.snapshot_state === null
        ? undefined
        : {
            decisions: row.snapshot_decisions ?? 0,
            seq: Number(row.snapshot_seq),
            state: row.snapshot_state,
          },
  };
}
