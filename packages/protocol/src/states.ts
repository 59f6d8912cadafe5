export const runStatuses = [
  "QUEUED",
  "RUNNING",
  "WAITING",
  "PAUSED",
  "CANCELLING",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
  "BUDGET_EXCEEDED",
] as const;
export type RunStatus = (typeof runStatuses)[number];

export const terminalRunStatuses = [
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
  "BUDGET_EXCEEDED",
] as const;
export type TerminalRunStatus = (typeof terminalRunStatuses)[number];

export const taskStatuses = [
  "PENDING",
  "QUEUED",
  "RUNNING",
  "WAITING",
  "PARKED",
  "STALLED",
  "CANCELLING",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
  "CRASHED",
  "SKIPPED",
  "BUDGET_EXCEEDED",
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** How a task can end that did not complete and was neither skipped nor cancelled. */
export const failedTaskStatuses = ["FAILED", "TIMED_OUT", "CRASHED", "BUDGET_EXCEEDED"] as const;
export type FailedTaskStatus = (typeof failedTaskStatuses)[number];

export const terminalTaskStatuses = [
  "COMPLETED",
  ...failedTaskStatuses,
  "CANCELLED",
  "SKIPPED",
] as const;
export type TerminalTaskStatus = (typeof terminalTaskStatuses)[number];

export function isTerminalRun(status: RunStatus): status is TerminalRunStatus {
  return (terminalRunStatuses as readonly string[]).includes(status);
}

export function isTerminalTask(status: TaskStatus): status is TerminalTaskStatus {
  return (terminalTaskStatuses as readonly string[]).includes(status);
}
