// oxlint-disable max-lines -- one vocabulary, read from top to bottom; splitting it would only hide half of it
import { z } from "zod";

import { dimensions, wireAmountsSchema } from "./amounts.ts";
import { endCauseNames } from "./end-causes.ts";
import type { EndCause } from "./end-causes.ts";
import { runIdSchema, taskIdSchema } from "./ids.ts";
import { spawnedTaskSchema } from "./spawn.ts";
import { failedTaskStatuses, terminalRunStatuses } from "./states.ts";
import { stopSchema } from "./stop.ts";

/**
 * One vocabulary for bus, log and SSE. `decision`: by the scheduler that holds the run's lease. `journal`: by the worker
 * that holds the attempt. Both stand in the run's log under one sequence. `fleet`: without a run, in the fleet log.
 * `transient`: on the bus only.
 */
export type EventClass = "decision" | "journal" | "fleet" | "transient";

const cause = z.enum(endCauseNames as [EndCause, ...EndCause[]]);
const count = z.int().nonnegative();
const run = { at: z.number(), runId: runIdSchema, traceId: z.string().optional() };
const task = { ...run, taskId: taskIdSchema, attempt: count };
const step = { ...task, step: count };
const fleet = { at: z.number(), traceId: z.string().optional() };

/** Rungs a step may come to, in their order (BU-17); the third, a simpler flow, is the run's. */
export const ladderRungs = ["cache", "cheaper"] as const;
export type LadderRung = (typeof ladderRungs)[number];

/** What an operator can hold a breaker in. METRICS_ONLY decides as ever and blocks nothing. */
export const forcedBreakerStates = [
  "FORCED_OPEN",
  "FORCED_CLOSED",
  "DISABLED",
  "METRICS_ONLY",
] as const;

/** Narrowest first, in the order they are asked (BR-1). */
export const breakerTiers = ["tool", "chain", "agent", "provider"] as const;
const breaker = {
  ...fleet,
  key: z.string(),
  tier: z.enum(breakerTiers),
  /** The worker process whose breaker it is: each decides on its own. */
  bootId: z.string().optional(),
};
const hold = { ...step, holdId: z.string(), amounts: wireAmountsSchema };
/** What was done in place of what was asked for; absent when nothing was. */
const degraded = z.array(z.string()).optional();
/** WD-20: which layer was silent: stream, tool, process, event_loop, store. Absent in logs of before. */
const layer = z.string().optional();
const loop = {
  reaction: z.enum(["nudge", "block", "stop"]),
  pattern: z.enum(["repeat", "failing", "ping_pong", "no_news", "text"]),
  count,
  tool: z.string().optional(),
};
/** `spawn`: asking for a task; `await`: waiting for the result of one. */
const stepKind = z.enum(["llm", "tool", "step", "spawn", "await"]);
const completed = { outputBytes: count, degraded };
const failed = {
  status: z.enum(failedTaskStatuses),
  cause,
  code: z.string(),
  message: z.string(),
  stop: stopSchema,
  degraded,
};
const cancelled = { reason: z.string() };

/** How a task ends once those that it spawned have: the fields of its last event. */
const taskEnd = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("task.completed"), ...completed }),
  z.strictObject({ type: z.literal("task.failed"), ...failed }),
  z.strictObject({ type: z.literal("task.cancelled"), ...cancelled }),
]);
export type TaskEnd = z.infer<typeof taskEnd>;

const eventFields = {
  decision: {
    "run.submitted": {
      ...run,
      workflow: z.string(),
      version: z.int(),
      limit: wireAmountsSchema,
      taskCount: count,
    },
    "run.started": { ...run },
    "run.paused": { ...run, reason: z.string(), stop: stopSchema.optional() },
    /** A simpler flow steps in (BU-19): task `by` in place of those of `replaced` that had not ended. */
    "run.degraded": {
      ...run,
      by: taskIdSchema,
      replaced: z.array(taskIdSchema),
      /** Whose refusal led to it, and why it was refused. */
      taskId: taskIdSchema,
      attempt: count,
      cause,
      code: z.string(),
      reason: z.string(),
      /** The hold that was set aside for it, with this decision or not at all. */
      opening: z.string(),
    },
    "run.resumed": { ...run, by: z.string() },
    "run.cancelling": {
      ...run,
      reason: z.string(),
      by: z.string(),
      /** What makes the run wind down, which decides how it ends. Absent: a cancel. */
      cause: z.enum(["cancel", "failure", "run_timeout"]).optional(),
    },
    "run.finished": {
      ...run,
      status: z.enum(terminalRunStatuses),
      stop: stopSchema.optional(),
      degraded: z.array(z.string()),
      hasOutput: z.boolean(),
    },
    "task.expanded": { ...run, taskId: taskIdSchema, items: count },
    /** Attempt `parentAttempt` of task `parent` asked for this task, and was given it with money of its own (LF-8). */
    "task.spawned": {
      ...run,
      taskId: taskIdSchema,
      parent: taskIdSchema,
      parentAttempt: count,
      ...spawnedTaskSchema.shape,
    },
    "task.scheduled": { ...task, agent: z.string() },
    /** Nothing of it runs any more, but of tasks that it spawned; it ends as `end` says with the last of them (LF-8). */
    "task.returned": { ...task, end: taskEnd },
    "task.completed": { ...task, ...completed },
    "task.failed": { ...task, ...failed },
    "task.cancelled": { ...task, ...cancelled },
    "task.skipped": { ...run, taskId: taskIdSchema, reason: z.enum(["condition", "dependency"]) },
    "task.retrying": {
      ...task,
      cause,
      code: z.string(),
      message: z.string(),
      delayMs: count,
      spent: count,
      degraded,
    },
    /** `until`: wall ms at which the breaker may be asked again, by the word of the worker that refused at `toldAt`. */
    "task.parked": {
      ...task,
      breaker: z.string(),
      until: z.number(),
      reason: z.string().optional(),
      bootId: z.string().optional(),
      toldAt: z.number().optional(),
    },
    "task.cancelling": { ...task, reason: z.string() },
    "task.lost": { ...task, bootId: z.string() },
  },
  journal: {
    "task.claimed": { ...task, workerId: z.string(), bootId: z.string() },
    "task.started": { ...task, agent: z.string(), isolation: z.string(), pid: z.int().optional() },
    "task.waiting": { ...task, on: z.string(), until: z.number() },
    "task.stalled": {
      ...task,
      layer: z.string(),
      step: count,
      repeatBeats: count,
      silentMs: count,
    },
    /** WD-18: calls or texts go round in circles. `block`: that call is refused; `stop`: the task ends as FAILED(loop). */
    "task.looping": { ...step, ...loop },
    "task.timed_out": { ...task, clock: z.enum(["step", "task"]), layer, afterMs: count },
    "task.killed": {
      ...task,
      pid: z.int().optional(),
      signal: z.string(),
      reason: z.string(),
      timeToStopMs: count,
    },
    /**
     * An attempt was stopped by its worker. `timeToStopMs`: from the order or verdict until nothing of it was alive. `forced`: it did not end
     * by itself within the grace. `left`: processes that SIGKILL did not end, or threads that did not end.
     */
    "task.stopped": {
      ...task,
      isolation: z.string(),
      cause,
      forced: z.boolean(),
      timeToStopMs: count,
      left: count,
    },
    "task.late_result": { ...task, status: z.string() },
    "step.started": { ...step, kind: stepKind, key: z.string() },
    "step.finished": {
      ...step,
      kind: stepKind,
      key: z.string(),
      agent: z.string().optional(),
      outcome: z.enum(["success", "failure", "refused", "cancelled"]),
      code: z.string().optional(),
      durationMs: count,
      model: z.string().optional(),
      inputTokens: count.optional(),
      outputTokens: count.optional(),
      nanoUsd: z.string().optional(),
      degraded,
    },
    "llm.attempt": {
      ...step,
      target: z.string(),
      wireCall: count,
      outcome: z.enum(["success", "failure"]),
      class: z.string().optional(),
      status: z.int().optional(),
    },
    /** Answered without a call: nothing was reserved or spent. `isShared`: by a call for the same that was under way. */
    "llm.cached": { ...step, target: z.string(), ageMs: count, isShared: z.boolean() },
    /** One rung of the ladder that a refused step came to (BU-17), and why it did not hold. */
    "task.degraded": {
      ...step,
      rung: z.enum(ladderRungs),
      outcome: z.enum(["taken", "refused", "unavailable"]),
      reason: z.string(),
    },
    "llm.decision": { ...step, action: z.string(), class: z.string(), delayMs: count },
    "budget.reserved": { ...hold },
    "budget.settled": {
      ...hold,
      actual: wireAmountsSchema,
      basis: z.enum(["usage", "best_knowledge", "unknown"]),
    },
    "budget.released": { ...hold, reason: z.enum(["undispatched", "expired", "attempt_ended"]) },
    "budget.overrun": { ...hold, actual: wireAmountsSchema },
    /**
     * A call reported a usage that is no amount: the call is charged at best knowledge. `field`: which of the provider's, where one
     * of them was left out; else all of it was nonsense, and what was reserved is charged.
     */
    "budget.usage_unsound": {
      ...step,
      field: z.string().optional(),
      dimension: z.enum(dimensions),
      value: z.string(),
    },
    "budget.exhausted": {
      ...run,
      envelope: z.string(),
      settled: wireAmountsSchema,
      limit: wireAmountsSchema,
      dimension: z.string(),
    },
    "budget.refused": {
      ...step,
      refusal: z.string(),
      envelope: z.string(),
      requested: wireAmountsSchema,
      settled: wireAmountsSchema,
      reserved: wireAmountsSchema,
      limit: wireAmountsSchema,
    },
    "budget.raised": {
      ...run,
      envelope: z.string(),
      raisedBy: wireAmountsSchema,
      limit: wireAmountsSchema,
    },
    "budget.closed": { ...run, envelope: z.string() },
    "breaker.refused": { ...step, key: z.string(), retryAfterMs: count },
    "governor.refused": { ...step, retryAfterMs: count },
    would_stall: { ...task, layer, step: count, repeatBeats: count },
    would_time_out: { ...task, clock: z.enum(["step", "task"]), layer, afterMs: count },
    would_loop: { ...step, ...loop },
    would_refuse: { ...step, guard: z.string(), reason: z.string() },
  },
  fleet: {
    "breaker.open": {
      ...breaker,
      triggers: z.array(z.string()),
      evidence: z.record(z.string(), z.unknown()),
      cooldownMs: count,
      openCount: count,
    },
    "breaker.half_open": { ...breaker },
    /** A half-open breaker let a call out to try. */
    "breaker.probe": { ...breaker },
    /** `actor` and `reason` when a person closed it (BR-12). */
    "breaker.close": { ...breaker, actor: z.string().optional(), reason: z.string().optional() },
    would_trip: {
      ...breaker,
      triggers: z.array(z.string()),
      evidence: z.record(z.string(), z.unknown()).optional(),
    },
    /** GV-1: one API key submits runs faster than it may. */
    would_refuse_run: { ...fleet, apiKey: z.string(), retryAfterMs: count },
    /** BR-12: a person holds a breaker in a state, in every worker, until then (wall ms). */
    "breaker.forced": {
      ...breaker,
      state: z.enum(forcedBreakerStates),
      actor: z.string(),
      reason: z.string(),
      until: z.number(),
    },
    /** A person closed it and had what was held against it forgotten. */
    "breaker.reset": { ...breaker, actor: z.string(), reason: z.string() },
    "guard.degraded": { ...fleet, guard: z.string(), reason: z.string() },
    clock_gap: { ...fleet, gapMs: count },
    "worker.started": { ...fleet, workerId: z.string(), bootId: z.string() },
    "worker.stopped": { ...fleet, workerId: z.string(), bootId: z.string() },
    "timeout.raised": { ...fleet, kind: z.string(), key: z.string(), timeoutMs: count },
    /** What somebody should hear of who does not look (E4). `id` names it in the list; `count`: how often it happened since the last. */
    alert: {
      ...fleet,
      severity: z.enum(["info", "warning", "critical"]),
      message: z.string(),
      id: z.string().optional(),
      name: z.string().optional(),
      status: z.enum(["firing", "resolved"]).optional(),
      count: count.optional(),
      runId: runIdSchema.optional(),
    },
  },
  transient: {
    "task.heartbeat": { ...task, step: count, status: z.enum(["RUNNING", "WAITING", "FINISHED"]) },
    "task.progress": { ...task, step: count, message: z.string() },
    "llm.delta": { ...step, text: z.string() },
  },
} as const;

type Fields = typeof eventFields;
type Typed<Group> = {
  [Type in keyof Group]: { readonly type: Type } & Readonly<
    z.infer<z.ZodObject<Extract<Group[Type], z.ZodRawShape>>>
  >;
}[keyof Group];

export type DecisionEvent = Typed<Fields["decision"]>;
export type JournalEvent = Typed<Fields["journal"]>;
export type FleetEvent = Typed<Fields["fleet"]>;
export type TransientEvent = Typed<Fields["transient"]>;
/** What may stand in a run's log. */
export type RunEvent = DecisionEvent | JournalEvent;
/** Everything the bus carries. */
export type BridleEvent = RunEvent | FleetEvent | TransientEvent;
export type EventType = BridleEvent["type"];
export type EventOf<Type extends EventType> = Extract<BridleEvent, { readonly type: Type }>;

function schemasOf(group: Readonly<Record<string, z.ZodRawShape>>): z.ZodType[] {
  return Object.entries(group).map(([type, fields]) =>
    z.strictObject({ type: z.literal(type), ...fields }),
  );
}

/** Parses an event that may stand in a run's log. */
export const runEventSchema = z.union([
  ...schemasOf(eventFields.decision),
  ...schemasOf(eventFields.journal),
]) as unknown as z.ZodType<RunEvent>;
export const fleetEventSchema = z.union(
  schemasOf(eventFields.fleet),
) as unknown as z.ZodType<FleetEvent>;

/** The class of each event type: the table `docs/reference/events.md` is generated from. */
export const eventClasses: Readonly<Record<EventType, EventClass>> = Object.fromEntries(
  Object.entries(eventFields).flatMap(([eventClass, group]) =>
    Object.keys(group).map((type) => [type, eventClass]),
  ),
) as Record<EventType, EventClass>;

/** Field names and schemas per type, for generated documentation. */
export { eventFields };

/** An event with its place in the run's log. */
export type LogEntry = RunEvent & { readonly seq: number };
