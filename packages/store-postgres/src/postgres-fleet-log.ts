import type { FleetLog } from "@bridle/ports";
import type { FleetEvent } from "@bridle/protocol";

import { call, type SqlDatabase } from "./sql-database.ts";

/** `FleetLog`: keeps the newest `capacity` events. */
export function postgresFleetLog(sql: SqlDatabase, capacity: number): FleetLog {
  return {
    append: async (events) => {
      if (events.length === 0) return;
      const values = [events.map((event) => JSON.stringify(event)), capacity];
      await sql.run(call("append_fleet", values), values);
    },
    read: async ({ afterId, limit }) => {
      const rows = await sql.rows<{ id: string; event: string }>(
        "select id, event from bridle.fleet_event where id > $1 order by id limit $2",
        [afterId, limit],
      );
      return rows.map(({ id, event }) => ({
        id: Number(id),
        // Written by `append`, from values of this type.
        event: JSON.parse(event) as FleetEvent,
      }));
    },
  };
}
