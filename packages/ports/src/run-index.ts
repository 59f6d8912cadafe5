import type { RunId, RunStatus } from "@bridle/protocol";

export interface RunRow {
  readonly runId: RunId;
  readonly traceId: string;
  readonly workflow: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface RunQuery {
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
  readonly traceId?: string | undefined;
  /** Opaque, from an earlier page. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Finds runs, newest first. */
export interface RunIndex {
  list(
    query: RunQuery,
  ): Promise<{ readonly runs: readonly RunRow[]; readonly next?: string | undefined }>;
  /** Runs that have not ended, oldest first: what a scheduler takes over. */
  live(limit: number, after?: RunId): Promise<readonly RunId[]>;
}
