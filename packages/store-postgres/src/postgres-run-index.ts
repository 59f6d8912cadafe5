import type { RunIndex, RunQuery } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";

import { runRow, type RunColumns } from "./run-row.ts";
import type { SqlDatabase } from "./sql-database.ts";

/** `RunIndex`. A page begins after the last run of the page before, whatever was submitted meanwhile. */
export function postgresRunIndex(sql: SqlDatabase): RunIndex {
  return {
    list: async (query) => {
      const { where, values } = conditions(query);
      const rows = await sql.rows<RunColumns>(
        `select * from bridle.run ${where} order by created_at desc, run_id desc limit $1`,
        // One more than asked for tells whether there is a next page.
        [query.limit + 1, ...values],
      );
      const page = rows.slice(0, query.limit);
      const last = page.at(-1);
      const runs = page.map(runRow);
      return rows.length > query.limit && last !== undefined
        ? { runs, next: `${last.created_at}:${last.run_id}` }
        : { runs };
    },
    live: async (limit, after) => {
      const rows = await sql.rows<{ run_id: string }>(
        `select run_id from bridle.run where not ended
           and ($2::text is null or not exists (select from bridle.run where run_id = $2)
             or (created_at, run_id) > (select created_at, run_id from bridle.run where run_id = $2))
         order by created_at, run_id limit $1`,
        [limit, after ?? null],
      );
      return rows.map(({ run_id }) => asRunId(run_id));
    },
  };
}

function conditions(query: RunQuery): { readonly where: string; readonly values: unknown[] } {
  const terms: string[] = [];
  const values: unknown[] = [];
  const place = (value: unknown): string => {
    values.push(value);
    // $1 is the limit.
    return `$${values.length + 1}`;
  };
  if (query.status !== undefined) terms.push(`status = ${place(query.status)}`);
  if (query.workflow !== undefined) terms.push(`workflow = ${place(query.workflow)}`);
  if (query.traceId !== undefined) terms.push(`trace_id = ${place(query.traceId)}`);
  const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  if (cursor !== undefined)
    terms.push(`(created_at, run_id) < (${place(cursor.createdAt)}, ${place(cursor.runId)})`);
  return { where: terms.length === 0 ? "" : `where ${terms.join(" and ")}`, values };
}

/** A cursor that is not one of ours begins at the end: no page follows it. */
function parseCursor(cursor: string): { readonly createdAt: number; readonly runId: string } {
  const [createdAt = "", runId = ""] = cursor.split(":", 2);
  const at = Number(createdAt);
  return {
    createdAt: createdAt !== "" && Number.isFinite(at) ? at : Number.NEGATIVE_INFINITY,
    runId,
  };
}
