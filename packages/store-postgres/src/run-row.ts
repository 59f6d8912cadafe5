import type { RunRow } from "@bridle/ports";
import { asRunId, type RunStatus } from "@bridle/protocol";

export interface RunColumns {
  readonly run_id: string;
  readonly trace_id: string;
  readonly workflow: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly created_at: number;
  readonly updated_at: number;
}

export function runRow(row: RunColumns): RunRow {
  return {
    runId: asRunId(row.run_id),
    traceId: row.trace_id,
    workflow: row.workflow,
    version: row.version,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
