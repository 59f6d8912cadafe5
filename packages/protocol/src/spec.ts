import { z } from "zod";

import { durationSchema } from "./duration.ts";
import { breakerRanges, rangeFault } from "./guard-ranges.ts";
import type { SettingRange } from "./guard-ranges.ts";
import { taskNamePattern } from "./ids.ts";
import { cacheUses } from "./llm-types.ts";
import { parseUsd } from "./parse-usd.ts";

const wholeLimit = z.int().positive().max(Number.MAX_SAFE_INTEGER);

/** `unlimited` must be written out (BU-3): leaving a limit away means the default, not none. */
const limit = z.union([wholeLimit, z.literal("unlimited")]);
const usd = z
  .number()
  .positive()
  .max(9_000_000)
  .refine((amount) => parseUsd(amount) !== undefined, {
    error: "Write US dollars with at most nine decimals.",
  });
const usdLimit = z.union([usd, z.literal("unlimited")]);

export const envelopeSpecSchema = z.strictObject({
  maxTokens: limit.optional(),
  maxUsd: usdLimit.optional(),
  maxCalls: limit.optional(),
});

export const runBudgetSpecSchema = envelopeSpecSchema.extend({
  onExceeded: z.enum(["fail", "pause", "degrade"]).default("fail"),
  /** Who may use the credit left after a trip (BU-9). Default: the ladder with `onExceeded: degrade`, else nobody. */
  onTrip: z.enum(["ladder", "cache", "nothing"]).optional(),
  /** BU-9: `strict` admits to nine tenths of each limit only. Default: `credit`, to the limit itself. */
  creditMode: z.enum(["credit", "strict"]).optional(),
});

export const backoffSpecSchema = z.strictObject({
  type: z.enum(["exponential", "fixed"]).default("exponential"),
  initial: durationSchema.default(2000),
  max: durationSchema.default(60_000),
});

export const retrySpecSchema = z.strictObject({
  /** Attempts in all, the first included; 1 means no retry. */
  maxAttempts: z.int().min(1).max(20).default(3),
  backoff: backoffSpecSchema.prefault({}),
  /** Error codes that end the task at once. */
  nonRetryable: z.array(z.string()).default([]),
});

/** Zero would not mean "none" but "at once": such a task could never run. */
const timeout = durationSchema.refine((ms) => ms > 0, {
  error: "A timeout is at least 1ms. Leave it away for the default.",
});

export const timeoutSpecSchema = z.strictObject({
  /** Explicit: disables the adaptive step timeout (WD-8). */
  step: timeout.optional(),
  task: timeout.optional(),
  run: timeout.optional(),
});

const taskName = z
  .string()
  .regex(
    taskNamePattern,
    "A task id starts with a letter and has up to 64 letters, digits, _ or -.",
  );

export const joinConditions = ["completed", "failed", "always"] as const;

export const dependencySpecSchema = z.union([
  z.string(),
  z.strictObject({ task: z.string(), when: z.enum(joinConditions).default("completed") }),
]);

export const forEachSpecSchema = z.strictObject({
  items: z.unknown(),
  maxItems: z.int().min(1).max(10_000).default(1000),
  /** Failed items the fan-out bears before it fails itself. */
  maxFailures: z.int().nonnegative().default(0),
});

export const llmTaskSpecSchema = z.strictObject({
  model: z.string(),
  prompt: z.string(),
  system: z.string().optional(),
  maxOutputTokens: z.int().positive().optional(),
  cache: z.enum(cacheUses).optional(),
});

export const taskSpecSchema = z.strictObject({
  id: taskName,
  agent: z.string().optional(),
  llm: llmTaskSpecSchema.optional(),
  dependsOn: z.array(dependencySpecSchema).optional(),
  needs: z.array(dependencySpecSchema).optional(),
  if: z.string().optional(),
  forEach: forEachSpecSchema.optional(),
  input: z.unknown().optional(),
  concurrency: z.strictObject({ limit: z.int().min(1).max(1000) }).optional(),
  retry: retrySpecSchema.optional(),
  timeout: timeoutSpecSchema.omit({ run: true }).optional(),
  budget: envelopeSpecSchema.optional(),
  priority: z.enum(["foreground", "background"]).default("foreground"),
  allowModelFallback: z.boolean().default(true),
});

/** A task that steps in for others: it waits for what they waited for, and has no branches of its own. */
const standInSpecSchema = taskSpecSchema.omit({
  dependsOn: true,
  needs: true,
  if: true,
  forEach: true,
  concurrency: true,
});

/** The last rung of the ladder: one task in place of several (BU-19). */
export const degradeSpecSchema = z.strictObject({
  replace: z.array(z.string()).min(1, "Name the tasks to replace."),
  with: standInSpecSchema,
});

/** More alternatives than this are a workflow of their own. */
const mostAlternatives = 20;

/** The breaker's own ranges: what a workflow may say is what a breaker can do. */
function own({ min, max, isWhole }: SettingRange): z.ZodOptional<z.ZodNumber> {
  return (isWhole ? z.int() : z.number()).min(min).max(max).optional();
}

/** Over the installation's own settings, for the breakers of this workflow's agents. */
const breakerNumbers = {
  failureRateThreshold: own(breakerRanges.failureRateThreshold),
  minRequestVolume: own(breakerRanges.minRequestVolume),
  consecutiveFailures: own(breakerRanges.consecutiveFailures),
  budgetBurnRate: own(breakerRanges.budgetBurnRate),
  halfOpenMaxRequests: own(breakerRanges.halfOpenMaxRequests),
};

/** BR-1: one cell per second. */
function isWindow(ms: number): boolean {
  return rangeFault(ms, breakerRanges.windowSize) === undefined && ms % 1000 === 0;
}

export const breakerSpecSchema = z.strictObject({
  windowSize: durationSchema
    .refine(isWindow, { error: "Expected whole seconds, from 1s to 10m." })
    .optional(),
  ...breakerNumbers,
});

/** As a worker gets them: `windowSize` in milliseconds. */
export const breakerTermsSchema = z.strictObject({
  windowSize: z.int().refine(isWindow).optional(),
  ...breakerNumbers,
});
export type BreakerTerms = z.infer<typeof breakerTermsSchema>;

/**
 * Caps of what a run may spawn (LF-8): from, to, and what holds where nothing is said. Deeper than five, each task gets a hundred
 * thousandth of the run's money at most.
 */
export const spawnCapRanges = {
  maxDepth: { min: 0, max: 5, usual: 3 },
  maxPerTask: { min: 0, max: 1000, usual: 20 },
  maxPerRun: { min: 0, max: 9999, usual: 200 },
  maxLive: { min: 0, max: 1000, usual: 50 },
} as const;

function cap({ min, max }: { readonly min: number; readonly max: number }) {
  return z.int().min(min).max(max).optional();
}

const spawnSpecSchema = z.strictObject({
  maxDepth: cap(spawnCapRanges.maxDepth),
  maxPerTask: cap(spawnCapRanges.maxPerTask),
  maxPerRun: cap(spawnCapRanges.maxPerRun),
  maxLive: cap(spawnCapRanges.maxLive),
});

/** A workflow as people write it. Field names are those of `docs/guide/workflows.md`. */
export const workflowSpecSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
      "A workflow name starts with a letter and has up to 64 letters, digits, _ . or -.",
    ),
  version: z.int().positive().default(1),
  description: z.string().optional(),
  /** JSON Schema of the run's input. */
  input: z.record(z.string(), z.unknown()).optional(),
  budget: runBudgetSpecSchema.prefault({}),
  timeout: timeoutSpecSchema.prefault({}),
  tasks: z.array(taskSpecSchema).min(1, "A workflow needs at least one task."),
  onFailure: z.enum(["fail_fast", "continue"]).default("fail_fast"),
  guards: z.strictObject({ breaker: breakerSpecSchema.optional() }).optional(),
  degrade: z.array(degradeSpecSchema).max(mostAlternatives).optional(),
  /** How much the agents of a run may spawn. */
  spawn: spawnSpecSchema.optional(),
  output: z.unknown().optional(),
});

/** What a person writes. */
export type WorkflowSpecInput = z.input<typeof workflowSpecSchema>;
/** What it means, defaults filled in, durations in milliseconds. */
export type WorkflowSpec = z.output<typeof workflowSpecSchema>;
export type DegradeSpec = z.output<typeof degradeSpecSchema>;
export type TaskSpec = z.output<typeof taskSpecSchema>;
export type RetrySpec = z.output<typeof retrySpecSchema>;
export type JoinCondition = (typeof joinConditions)[number];

/** One fault of a workflow: where (JSON pointer, RFC 6901), what, and what was probably meant, which `message` does not repeat. */
export const specIssueSchema = z.strictObject({
  pointer: z.string(),
  code: z.string(),
  message: z.string(),
  suggestion: z.string().optional(),
});
export type SpecIssue = z.infer<typeof specIssueSchema>;
