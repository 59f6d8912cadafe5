import type { ResultCache } from "@bridle/ports";

import { call, type SqlDatabase } from "./sql-database.ts";

/** `ResultCache` in one table. */
export function postgresResultCache(sql: SqlDatabase): ResultCache {
  return {
    get: async (key, notBefore) => {
      const [row] = await sql.rows<{ body: string; stored_at: number }>(
        "select body, stored_at from bridle.result_cache where key = $1 and stored_at >= $2",
        [key, notBefore],
      );
      return row === undefined ? undefined : { body: row.body, storedAt: row.stored_at };
    },
    put: async ({ key, body, at }, { maxEntries, olderThan }) => {
      const values = [key, body, at, maxEntries, olderThan];
      await sql.run(call("put_result", values), values);
    },
  };
}
