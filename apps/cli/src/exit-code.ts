import { CodedError } from "@bridle/kernel";
import type { RunStatus, RunView } from "@bridle/protocol";

/** Exit codes of the CLI, one per outcome a script may want to tell apart. The README has this table. */
export const exitCodes = {
  completed: 0,
  failed: 1,
  badUsage: 2,
  stoppedByGuard: 3,
  cancelled: 4,
  serverUnreachable: 5,
  timedOut: 6,
  /** EX_TEMPFAIL of sysexits: whoever supervises the process should start it again. */
  retired: 75,
  interrupted: 130,
} as const;

const guards = new Set(["watchdog", "breaker", "budget", "governor", "limits"]);
/** Statuses below 500 that are nobody's usage: the request was right, the world was not. */
const notUsage = new Set(["run_already_ended", "run_not_resumable", "version_conflict"]);

const codeOfStatus: { readonly [Status in RunStatus]: number } = {
  COMPLETED: exitCodes.completed,
  FAILED: exitCodes.failed,
  CANCELLED: exitCodes.cancelled,
  CANCELLING: exitCodes.cancelled,
  TIMED_OUT: exitCodes.timedOut,
  BUDGET_EXCEEDED: exitCodes.stoppedByGuard,
  PAUSED: exitCodes.stoppedByGuard,
  // Not ends: only a caller that stopped following early sees them.
  QUEUED: exitCodes.failed,
  RUNNING: exitCodes.failed,
  WAITING: exitCodes.failed,
};

/** How a run's end, or its pause by a guard, leaves the process. */
export function exitCodeOfRun({ status, stop }: Pick<RunView, "status" | "stop">): number {
  const isGuarded = status === "FAILED" && guards.has(stop?.guard ?? "none");
  return isGuarded ? exitCodes.stoppedByGuard : codeOfStatus[status];
}

/** How an error leaves the process: unreachable, a mistake of the caller's, or anything else. */
export function exitCodeOfError(error: unknown): number {
  if (!CodedError.is(error)) return exitCodes.failed;
  if (error.code === "server_unreachable") return exitCodes.serverUnreachable;
  if (error.code === "config_invalid" || error.code === "config_unreadable") {
    return exitCodes.badUsage;
  }
  return error.status >= 400 && error.status < 500 && !notUsage.has(error.code)
    ? exitCodes.badUsage
    : exitCodes.failed;
}
