import type { Database } from "@bridle/store-postgres";

import type { Places } from "../support/secret-canary.ts";

/** Every row of every table that is not the server's own, as text. */
export async function dumpDatabase({ pool }: Pick<Database, "pool">): Promise<Places> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    // oxlint-disable-next-line no-await-in-loop -- one table after the other
    const { rows } = await pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.set(`table ${name}`, rows.map(({ text }) => text).join("\n"));
  }
  return texts;
}
