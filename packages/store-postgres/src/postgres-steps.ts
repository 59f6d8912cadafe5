import type { StepJournal } from "@bridle/ports";

import { call, type SqlDatabase } from "./sql-database.ts";

/** `StepJournal`. Names are stored as JSON: authors may put any character into them. */
export function postgresSteps(sql: SqlDatabase): StepJournal {
  return {
    begin: async ({ runId, taskId, attempt }, name) => {
      const values = [runId, taskId, attempt, JSON.stringify(name)];
      const { state, result } = await sql.one<{
        state: "new" | "begun" | "done" | "fenced";
        result: string | null;
      }>(call("begin_step", values), values);
      return state === "done" ? { state, result: result ?? "" } : { state };
    },
    save: async ({ runId, taskId, attempt }, name, result) => {
      const values = [runId, taskId, attempt, JSON.stringify(name), result];
      return (await sql.one<{ save_step: boolean }>(call("save_step", values), values)).save_step;
    },
  };
}
