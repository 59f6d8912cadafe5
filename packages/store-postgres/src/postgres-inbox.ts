import type { Inbox, InboxMessage } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";

import type { Hints } from "./postgres-feed.ts";
import { call, type SqlDatabase } from "./sql-database.ts";

/** `Inbox`: rows, deleted by the commit that answers them. Read without a cursor, so a late commit is never skipped. */
export function postgresInbox(sql: SqlDatabase, hints: Hints): Inbox {
  return {
    put: async (runId, message, at) => {
      const closes = message.kind === "cancel" ? (message.taskId ?? "run") : null;
      const values = [runId, JSON.stringify(message), closes, at];
      await sql.run(call("put_inbox", values), values);
      hints.inbox(runId);
      if (closes !== null) hints.run(runId);
    },
    read: async (limit) => {
      const rows = await sql.rows<{ id: string; run_id: string; message: string }>(
        "select id, run_id, message from bridle.inbox order by id limit $1",
        [limit],
      );
      return rows.map(({ id, run_id, message }) => ({
        id,
        runId: asRunId(run_id),
        // Written by `put` and by `finish`, from values of this type.
        message: JSON.parse(message) as InboxMessage,
      }));
    },
    answers: async (runId, taskId, keys) => {
      const rows = await sql.rows<{ body: string | null }>(
        `select a.body from unnest($3::text[]) with ordinality as asked (key, n)
           left join bridle.answer a on a.run_id = $1 and a.task_id = $2 and a.key = asked.key
         order by n`,
        [runId, taskId, keys.map((key) => JSON.stringify(key))],
      );
      return rows.map(({ body }) => body ?? undefined);
    },
    discard: async (ids) =>
      sql.run("delete from bridle.inbox where id = any($1::bigint[])", [ownIds(ids)]),
  };
}

/** An id that is not one of ours names no entry; the column would refuse it with an error. */
export function ownIds(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => /^\d{1,18}$/.test(id));
}
