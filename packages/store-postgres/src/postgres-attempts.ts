import type { Clock } from "@bridle/kernel";
import type { Attempts, Claim, ClaimAnswer, Finish, OpenClaim, StopOrder } from "@bridle/ports";
import { asRunId, asTaskId, type Spender } from "@bridle/protocol";

import type { Hints } from "./postgres-feed.ts";
import { call, type SqlDatabase } from "./sql-database.ts";

interface SpenderColumns {
  readonly run_id: string;
  readonly task_id: string;
  readonly attempt: number;
}

interface OpenClaimColumns extends SpenderColumns {
  readonly worker_id: string;
  readonly boot_id: string;
}

interface StopOrderColumns extends SpenderColumns {
  /** A JSON string. */
  readonly reason: string;
}

type ClaimRefusal = Extract<ClaimAnswer, { claimed: false }>["reason"];
type FinishRefusal = "fenced" | "already_finished" | "not_claimed";

/*
 * Looked up row by row, never joined: without statistics the planner joins on the run alone, and asking for the orders of
 * 16 attempts read every task of their run (measured with 10,000: 42,000 rows, 112 ms; so 0.5 ms).
 */
const fence =
  "(select t.fence from bridle.task t where t.run_id = c.run_id and t.task_id = c.task_id)";
const hasEnded = (alias: "c" | "t"): string =>
  `(select h.ended from bridle.run_head h where h.run_id = ${alias}.run_id)`;

/** `Attempts`: see `sql/0004-attempts.sql` and `sql/0006-last-entries.sql`. `clock` dates fences (wall). */
export function postgresAttempts(sql: SqlDatabase, hints: Hints, clock: Clock): Attempts {
  return { ...attemptMoves(sql, hints, clock), ...attemptViews(sql), ...workerViews(sql) };
}

function attemptMoves(
  sql: SqlDatabase,
  hints: Hints,
  clock: Clock,
): Pick<Attempts, "raiseFences" | "claim" | "finish"> {
  return {
    raiseFences: async (runId, fences) => {
      const values = [
        runId,
        fences.map(({ taskId }) => taskId),
        fences.map(({ attempt }) => attempt),
        clock.wallMs(),
      ];
      const row = await sql.one<{ raise_fences: boolean }>(call("raise_fences", values), values);
      // A first attempt fences nobody off: no worker has to ask.
      if (row.raise_fences && fences.some(({ attempt }) => attempt > 1)) hints.orders(runId);
    },
    claim: async (claim) => {
      const answer = await claimAttempt(sql, claim);
      if (answer.claimed) hints.run(claim.runId);
      return answer;
    },
    finish: async (finish) => {
      const reason = await finishAttempt(sql, finish);
      if (reason !== null) return { accepted: false, reason };
      if (finish.journal !== undefined && finish.journal.length > 0) hints.run(finish.runId);
      hints.inbox(finish.runId);
      return { accepted: true };
    },
  };
}

/** What a scheduler looks for. */
function attemptViews(sql: SqlDatabase): Pick<Attempts, "unclaimed" | "lost"> {
  return {
    unclaimed: async (olderThan, limit) => {
      const rows = await sql.rows<SpenderColumns>(
        `select t.run_id, t.task_id, t.fence as attempt
         from bridle.task t
         where t.fence > 0 and not t.is_claimed and t.fenced_at < $1 and not ${hasEnded("t")}
           and not bridle.is_closed(t.run_id, t.task_id)
         order by t.fenced_at limit $2`,
        [olderThan, limit],
      );
      return rows.map(spender);
    },
    lost: async (limit) => {
      const rows = await sql.rows<OpenClaimColumns>(
        `select c.run_id, c.task_id, c.attempt, c.worker_id, c.boot_id
         from bridle.claim c
         where not c.is_over and ${fence} = c.attempt and not ${hasEnded("c")} and not exists (select from bridle.lease l
           where l.name = 'worker:' || c.boot_id and l.holder is not null and l.until > clock_timestamp())
         limit $1`,
        [limit],
      );
      return rows.map(openClaim);
    },
  };
}

/** What a worker asks about itself. */
function workerViews(sql: SqlDatabase): Pick<Attempts, "held" | "stopOrders"> {
  return {
    held: async (bootId) => {
      const rows = await sql.rows<OpenClaimColumns>(
        `select run_id, task_id, attempt, worker_id, boot_id
         from bridle.claim where boot_id = $1 and not is_over`,
        [bootId],
      );
      return rows.map(openClaim);
    },
    stopOrders: async (bootId) => {
      const rows = await sql.rows<StopOrderColumns>(
        `select * from (
           select c.run_id, c.task_id, c.attempt, coalesce(
             (select s.reason from bridle.stop_order s
               where s.run_id = c.run_id and s.task_id = c.task_id and s.attempt = c.attempt),
             case when c.attempt < ${fence} then '"fenced"' when ${hasEnded("c")} then '"run ended"' end) as reason
           from bridle.claim c where c.boot_id = $1 and not c.is_over
         ) as held where reason is not null`,
        [bootId],
      );
      return rows.map(stopOrder);
    },
  };
}

async function claimAttempt(sql: SqlDatabase, claim: Claim): Promise<ClaimAnswer> {
  const { runId, taskId, attempt, workerId, bootId, at } = claim;
  const values = [runId, taskId, attempt, workerId, bootId, at];
  const row = await sql.one<{
    refusal: ClaimRefusal | null;
    envelope: string;
    trace_id: string;
    grace_used_ms: number;
  }>(call("claim_attempt", values), values);
  if (row.refusal !== null) return { claimed: false, reason: row.refusal };
  return {
    claimed: true,
    envelope: row.envelope,
    traceId: row.trace_id,
    graceUsedMs: row.grace_used_ms,
  };
}

async function finishAttempt(sql: SqlDatabase, finish: Finish): Promise<FinishRefusal | null> {
  const { runId, taskId, attempt, outcome } = finish;
  const values = [
    runId,
    taskId,
    attempt,
    finish.bootId,
    JSON.stringify({ kind: "finished", taskId, attempt, outcome }),
    outcome.status === "completed",
    finish.output ?? null,
    finish.graceUsedMs,
    (finish.journal ?? []).map((event) => JSON.stringify(event)),
    finish.at,
  ];
  const row = await sql.one<{ finish_attempt: FinishRefusal | null }>(
    call("finish_attempt", values),
    values,
  );
  return row.finish_attempt;
}

function spender({ run_id, task_id, attempt }: SpenderColumns): Spender {
  return { runId: asRunId(run_id), taskId: asTaskId(task_id), attempt };
}

function openClaim(row: OpenClaimColumns): OpenClaim {
  return { ...spender(row), workerId: row.worker_id, bootId: row.boot_id };
}

function stopOrder(row: StopOrderColumns): StopOrder {
  // Written as JSON of a string by `commit`.
  return { ...spender(row), reason: JSON.parse(row.reason) as string };
}
