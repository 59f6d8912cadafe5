import { z } from "zod";

import { wireAmountsSchema } from "./amounts.ts";
import { durationSchema } from "./duration.ts";
import { breakerTiers, forcedBreakerStates } from "./events.ts";
import { specIssueSchema } from "./spec.ts";
import { runStatuses, taskStatuses } from "./states.ts";
import { stopSchema } from "./stop.ts";

/** RFC 9457, with a stable `code` of the error table and, for bad input, every fault with its pointer. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  retryable: z.boolean(),
  traceId: z.string().optional(),
  issues: z.array(specIssueSchema).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** `spec` is compiled by the server; its faults come back as issues, so it is `unknown` here. */
export const submitBodySchema = z.strictObject({
  spec: z.unknown(),
  input: z.record(z.string(), z.unknown()).default({}),
});
export type SubmitBody = z.input<typeof submitBodySchema>;

/* Answers are read leniently: a client drops members it does not know, so that it can talk to a newer server. */

export const submittedSchema = z.object({
  runId: z.string(),
  traceId: z.string(),
  status: z.enum(runStatuses),
});
export type Submitted = z.infer<typeof submittedSchema>;

export const taskViewSchema = z.object({
  id: z.string(),
  status: z.enum(taskStatuses),
  agent: z.string(),
  attempt: z.int(),
  /** Attempts that counted against `retry.maxAttempts`. */
  spentAttempts: z.int(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  /** Highest step seen. */
  step: z.int().optional(),
  items: z.object({ total: z.int(), completed: z.int(), failed: z.int() }).optional(),
  /** While it is PARKED. Times in wall ms. */
  parked: z
    .object({
      /** Key of the breaker it waits for. */
      breaker: z.string(),
      /** What that breaker said, e.g. `open`. */
      reason: z.string().optional(),
      since: z.number(),
      /** When the breaker may be asked again; it goes on in the order of parking from then. */
      until: z.number(),
      /** When it fails with `breaker_open` if it is still parked. */
      failsAt: z.number(),
    })
    .optional(),
  /** The task that spawned it (LF-8). */
  spawnedBy: z.string().optional(),
  /** The task that stepped in for it (BU-19), unless it completed by itself. */
  replacedBy: z.string().optional(),
  degraded: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string(), cause: z.string() }).optional(),
  stop: stopSchema.optional(),
});
export type TaskView = z.infer<typeof taskViewSchema>;

export const envelopeViewSchema = z.object({
  /** `run`, or the task id. */
  envelope: z.string(),
  limit: wireAmountsSchema,
  settled: wireAmountsSchema,
  reserved: wireAmountsSchema,
  tripped: z.boolean(),
  closed: z.boolean(),
});
export type EnvelopeView = z.infer<typeof envelopeViewSchema>;

export const runViewSchema = z.object({
  runId: z.string(),
  traceId: z.string(),
  workflow: z.string(),
  version: z.int(),
  status: z.enum(runStatuses),
  createdAt: z.number(),
  startedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  /** Sequence number of the newest entry this view has folded. */
  seq: z.int(),
  tasks: z.array(taskViewSchema),
  budget: envelopeViewSchema.optional(),
  output: z.unknown().optional(),
  degraded: z.array(z.string()),
  stop: stopSchema.optional(),
});
export type RunView = z.infer<typeof runViewSchema>;

export const runSummarySchema = z.object({
  runId: z.string(),
  traceId: z.string(),
  workflow: z.string(),
  status: z.enum(runStatuses),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

export const runPageSchema = z.object({
  runs: z.array(runSummarySchema),
  next: z.string().optional(),
});
export type RunPage = z.infer<typeof runPageSchema>;

/** `events` are `LogEntry` values; kept open so that an older client can read a newer server. */
export const eventPageSchema = z.object({
  events: z.array(z.looseObject({ type: z.string(), seq: z.int(), at: z.number() })),
  next: z.int().optional(),
});
export type EventPage = z.infer<typeof eventPageSchema>;

export const cancelBodySchema = z.strictObject({
  reason: z.string().max(500).default("cancelled by user"),
});

/** Also the body of a pause. */
export type CancelBody = z.input<typeof cancelBodySchema>;

export const resumeBodySchema = z.strictObject({});

const more = z.int().positive().max(Number.MAX_SAFE_INTEGER).optional();

/** What is added to an envelope's limits; nothing is ever taken away. */
export const raiseBodySchema = z
  .strictObject({
    addTokens: more,
    addUsd: z.number().positive().max(9_000_000).optional(),
    addCalls: more,
    /** `run`, or a task with a budget of its own. */
    envelope: z.string().max(80).default("run"),
  })
  .refine(({ addTokens, addUsd, addCalls }) => addTokens ?? addUsd ?? addCalls, {
    error: "Add something: addTokens, addUsd or addCalls.",
  });
export type RaiseBody = z.input<typeof raiseBodySchema>;
/** The body as the server has read it. */
export type RaiseRequest = z.output<typeof raiseBodySchema>;

export const agentListSchema = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      /** `process`, `thread` or `inline`. */
      isolation: z.string(),
      /** Logical model of a declarative agent. */
      model: z.string().optional(),
    }),
  ),
});
export type AgentList = z.infer<typeof agentListSchema>;

const forced = z.object({
  state: z.enum(forcedBreakerStates),
  actor: z.string(),
  reason: z.string(),
  /** Wall ms. */
  until: z.number(),
});

/** What an operator may do to a breaker, by the last part of the path (BR-12, B9). */
export const breakerActions = ["open", "close", "disable", "observe", "reset"] as const;
export type BreakerAction = (typeof breakerActions)[number];

/** The longest a breaker is held: the order must outlive no log it stands in, and no memory of why it was given. */
const longestForceMs = 7 * 86_400_000;

export const breakerOrderBodySchema = z.strictObject({
  /** For whoever wonders tomorrow. */
  reason: z.string().min(1).max(500),
  /** How long it is held; not for `reset`. */
  for: durationSchema
    .refine((ms) => ms > 0 && ms <= longestForceMs, { error: "Hold a breaker from 1ms to 7d." })
    .default(3_600_000),
});

export const breakerOrderSchema = z.object({
  key: z.string(),
  /** Absent after a reset. */
  forced: forced.optional(),
});
export type BreakerOrder = z.infer<typeof breakerOrderSchema>;

export const breakerViewSchema = z.object({
  key: z.string(),
  tier: z.enum(breakerTiers),
  state: z.enum(["OPEN", "HALF_OPEN", "CLOSED"]),
  /** Wall milliseconds of the last transition. */
  since: z.number(),
  triggers: z.array(z.string()),
  evidence: z.record(z.string(), z.unknown()),
  cooldownMs: z.int().optional(),
  /** Held by an operator, in every worker. */
  forced: forced.optional(),
  /** Tasks parked behind it. */
  parked: z.int().default(0),
});
export type BreakerView = z.infer<typeof breakerViewSchema>;

/** Breakers that have ever opened, newest transition first. One that is not listed is closed. */
export const breakerListSchema = z.object({ breakers: z.array(breakerViewSchema) });
export type BreakerList = z.infer<typeof breakerListSchema>;

export const envelopeListSchema = z.object({ envelopes: z.array(envelopeViewSchema) });
export type EnvelopeList = z.infer<typeof envelopeListSchema>;

const chainBurn = z.object({ runId: z.string(), charged: wireAmountsSchema });

/** BB-1: what burns now, and the last five minutes; a minute that is missing was not recorded. */
export const burnBoardSchema = z.object({
  at: z.number(),
  windowMs: z.int(),
  /** Of all runs in the window. */
  total: wireAmountsSchema,
  /** The dearest ten. `delta`, `slope` (per minute) and `msToLimit` are of the measure asked for. */
  chains: z.array(
    chainBurn.extend({
      settled: wireAmountsSchema,
      /** What is held for calls in flight. */
      reserved: wireAmountsSchema,
      limit: wireAmountsSchema,
      delta: z.number(),
      slope: z.number(),
      msToLimit: z.number().optional(),
    }),
  ),
  /** Newest last; by money. `minute`: wall ms at which it began. */
  recent: z.array(
    z.object({ minute: z.number(), total: wireAmountsSchema, chains: z.array(chainBurn) }),
  ),
  /** BU-5: the days of the installation and of API keys; 2^53-1 is no limit, and nothing is counted there. `given`: spent, or lying with runs. */
  days: z.array(
    z.object({
      scope: z.string(),
      /** Wall ms. */
      resetsAt: z.number(),
      spent: wireAmountsSchema,
      given: wireAmountsSchema,
      limit: wireAmountsSchema,
    }),
  ),
});
export type BurnBoard = z.infer<typeof burnBoardSchema>;

export const healthSchema = z.object({
  status: z.enum(["ok", "failing"]),
  /** One sentence per part that is not well. */
  problems: z.array(z.string()),
});
export type Health = z.infer<typeof healthSchema>;

export const readinessSchema = healthSchema.extend({
  /** One sentence on what the store survives: the death of a process, the loss of power. */
  durability: z.string(),
});
export type Readiness = z.infer<typeof readinessSchema>;
