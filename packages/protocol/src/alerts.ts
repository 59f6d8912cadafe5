import { z } from "zod";

import { wireAmountsSchema } from "./amounts.ts";
import type { EventType } from "./events.ts";
import { stopSchema } from "./stop.ts";

/**
 * Event types that may become an alert, or end one. A store keeps each such entry for whoever raises alerts, in the commit that
 * writes it.
 */
export const alertSources = [
  "run.paused",
  "run.resumed",
  "run.finished",
  "task.stalled",
  "task.looping",
  "task.timed_out",
  "task.killed",
  "budget.overrun",
  "budget.exhausted",
  "budget.raised",
  "breaker.open",
  "breaker.close",
  "breaker.forced",
  "breaker.reset",
  "guard.degraded",
] as const satisfies readonly EventType[];

/** What an alert can be about: the events that raise one, and what the alerts themselves have to tell. */
export const alertNames = [
  "breaker.open",
  "breaker.forced",
  "task.stalled",
  "task.looping",
  "task.timed_out",
  "task.killed",
  "budget.exhausted",
  "budget.overrun",
  "run.paused",
  "run.finished",
  "guard.degraded",
  /** More alerts in a minute than are sent. */
  "alerts.overflow",
  /** A receiver never took an alert. */
  "alerts.dead_letter",
] as const;
export type AlertName = (typeof alertNames)[number];

/** Least first. */
export const alertSeverities = ["info", "warning", "critical"] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

const alertStatuses = ["firing", "resolved"] as const;

/** One alert as receivers, the API and the list get it. Never holds outputs, prompts or keys. */
export const alertSchema = z.object({
  /** Of the first event it tells: `<run>.<seq>`, or `fleet.<id>`. The same over all tries and receivers. */
  id: z.string(),
  name: z.enum(alertNames),
  status: z.enum(alertStatuses),
  severity: z.enum(alertSeverities),
  /** Alerts of one subject are told at most once a minute, with a count. */
  subject: z.string(),
  message: z.string(),
  /** How often it happened since the last alert of this subject. */
  count: z.int().nonnegative(),
  /** Wall ms of the first and last of them. */
  firstAt: z.number(),
  lastAt: z.number(),
  runId: z.string().optional(),
  taskId: z.string().optional(),
  traceId: z.string().optional(),
  /** What the run had spent when the alert was raised; `calls` are paid ones (LF-12). */
  spent: wireAmountsSchema.optional(),
  /** The stop contract, without what agents wrote. */
  stop: stopSchema.omit({ partialOutput: true, evidence: true }).optional(),
});
export type Alert = z.infer<typeof alertSchema>;

const deliveryStatuses = ["pending", "delivered", "dead"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** How one receiver's copy of an alert fares. */
const deliverySchema = z.object({
  webhook: z.string(),
  status: z.enum(deliveryStatuses),
  /** Tries so far. */
  attempts: z.int().nonnegative(),
  /** Wall ms of the next try, while it is pending. */
  nextAt: z.number().optional(),
  /** Why the last try failed. */
  error: z.string().optional(),
});

/** Newest alerts first, with how many deliveries of all wait and how many were given up. */
export const alertListSchema = z.object({
  alerts: z.array(alertSchema.extend({ deliveries: z.array(deliverySchema) })),
  pending: z.int().nonnegative(),
  dead: z.int().nonnegative(),
});
export type AlertList = z.infer<typeof alertListSchema>;
