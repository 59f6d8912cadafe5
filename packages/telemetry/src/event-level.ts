import type { BridleEvent, EventType } from "@bridle/protocol";

export type EventLevel = "debug" | "info" | "warn" | "error";

/** What somebody should look at some time: a guard stepped in, or something was lost. */
const warnings: ReadonlySet<EventType> = new Set<EventType>([
  "run.paused",
  "run.degraded",
  "task.degraded",
  "task.failed",
  "task.retrying",
  "task.parked",
  "task.lost",
  "task.stalled",
  "task.timed_out",
  "task.looping",
  "task.killed",
  "task.late_result",
  "budget.overrun",
  "budget.usage_unsound",
  "budget.exhausted",
  "budget.refused",
  "breaker.refused",
  "governor.refused",
  "would_stall",
  "would_time_out",
  "would_loop",
  "would_refuse",
  "breaker.open",
  "would_trip",
  "would_refuse_run",
  "guard.degraded",
  "clock_gap",
  "timeout.raised",
]);

const alertLevels = { info: "info", warning: "warn", critical: "error" } as const;

/** The level an event is logged at. */
export function eventLevel(event: BridleEvent): EventLevel {
  if (event.type === "alert") return alertLevels[event.severity];
  if (event.type === "run.finished") return event.status === "COMPLETED" ? "info" : "warn";
  if (event.type === "task.heartbeat" || event.type === "task.progress") return "debug";
  return warnings.has(event.type) ? "warn" : "info";
}
