import type { Leases, Timers } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";

import { call, type SqlDatabase } from "./sql-database.ts";

/** `Leases`, dated by the database's clock. */
export function postgresLeases(sql: SqlDatabase): Leases {
  return {
    acquire: async (name, holder, ttlMs) => {
      const values = [name, holder, ttlMs];
      const { acquire_lease: epoch } = await sql.one<{ acquire_lease: string | null }>(
        call("acquire_lease", values),
        values,
      );
      return epoch === null ? undefined : { epoch: Number(epoch) };
    },
    renew: async (name, holder, ttlMs) => {
      const row = await sql.first(
        `update bridle.lease set until = clock_timestamp() + $3 * interval '1 millisecond'
         where name = $1 and holder = $2 returning 1`,
        [name, holder, ttlMs],
      );
      return row !== undefined;
    },
    release: async (name, holder) =>
      sql.run("update bridle.lease set holder = null where name = $1 and holder = $2", [
        name,
        holder,
      ]),
    live: async (prefix) =>
      sql.rows<{ name: string; holder: string }>(
        `select name, holder from bridle.lease
         where starts_with(name, $1) and holder is not null and until > clock_timestamp() order by name`,
        [prefix],
      ),
  };
}

/** `Timers`: set and cleared by commits. */
export function postgresTimers(sql: SqlDatabase): Timers {
  return {
    due: async (nowWallMs, limit) => {
      const rows = await sql.rows<{ run_id: string; key: string; at: number }>(
        "select run_id, key, at from bridle.timer where at <= $1 order by at, run_id, key limit $2",
        [nowWallMs, limit],
      );
      return rows.map(({ run_id, key, at }) => ({ runId: asRunId(run_id), key, at }));
    },
    tally: async (kind) =>
      sql.rows<{ about: string; count: number }>(
        `select regexp_replace(substr(key, length($1) + 2), '^[^:]*:', '') as about, count(*)::int as count
         from bridle.timer where starts_with(key, $1 || ':') and key like '%:%:%'
         group by 1 order by 2 desc, 1`,
        [kind],
      ),
    next: async () => {
      const row = await sql.first<{ at: number }>(
        "select at from bridle.timer order by at limit 1",
        [],
      );
      return row?.at;
    },
  };
}
