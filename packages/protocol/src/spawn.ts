/**
 * Tasks that agents ask for while they run (LF-8, S6): what may be asked for, how much of it, and what comes back.
 *
 * `plan.2` is the second task that `plan` spawned. Its name, its place and its money are the scheduler's decision; a worker only asks.
 */
import { z } from "zod";

import { wireAmountsSchema } from "./amounts.ts";
import type { Amounts } from "./amounts.ts";
import type { TaskId } from "./ids.ts";
import { envelopeSpecSchema, retrySpecSchema, spawnCapRanges, timeoutSpecSchema } from "./spec.ts";

/** How much a run may spawn: LF-8's numbers, or those of the workflow's `spawn`. */
export interface SpawnCaps {
  /** Spawns between a task and the workflow. */
  readonly maxDepth: number;
  /** Tasks that one task spawns, over all its attempts. */
  readonly maxPerTask: number;
  /** Tasks that are spawned in one run. */
  readonly maxPerRun: number;
  /** Of these, such as have not ended. */
  readonly maxLive: number;
}

export const defaultSpawnCaps: SpawnCaps = {
  maxDepth: spawnCapRanges.maxDepth.usual,
  maxPerTask: spawnCapRanges.maxPerTask.usual,
  maxPerRun: spawnCapRanges.maxPerRun.usual,
  maxLive: spawnCapRanges.maxLive.usual,
};

/** Longer keys are no names. */
export const longestSpawnKey = 128;

/** What an agent may ask for, as it writes it: times with their units, money in dollars. */
export const spawnRequestSchema = z.strictObject({
  agent: z.string(),
  /** Any JSON. */
  input: z.unknown(),
  /** Names the task over the attempts of its parent. Absent: agent, input, and how many alike came before. */
  key: z.string().min(1).max(longestSpawnKey).optional(),
  /** What it may spend, carved out of its parent's envelope. What is not stated is a tenth of what the parent can spend yet. */
  budget: envelopeSpecSchema.optional(),
  timeout: timeoutSpecSchema.omit({ run: true }).optional(),
  retry: retrySpecSchema.optional(),
});
export type SpawnRequest = z.output<typeof spawnRequestSchema>;
/** As an author writes it. */
export type SpawnRequestInput = z.input<typeof spawnRequestSchema>;

const wholeMs = z.int().nonnegative();

/** As `RetrySpec`, with times in milliseconds: what stands in the log is read, not written by people. */
const retryTermsSchema = z.strictObject({
  maxAttempts: z.int().positive(),
  backoff: z.strictObject({
    type: z.enum(["exponential", "fixed"]),
    initial: wholeMs,
    max: wholeMs,
  }),
  nonRetryable: z.array(z.string()),
});

/** What a spawned task is, from its first event on; the rest it has from the task of the workflow above it. */
export const spawnedTaskSchema = z.strictObject({
  agent: z.string(),
  /** Unique among those of its parent. */
  key: z.string(),
  /** Of the request: the same key for something else is a mistake, not the same task. */
  digest: z.string(),
  limit: wireAmountsSchema,
  stepMs: z.int().positive().optional(),
  taskMs: z.int().positive().optional(),
  retry: retryTermsSchema.optional(),
});
export type SpawnedTask = z.infer<typeof spawnedTaskSchema>;

/** What a scheduler is told of the task that an attempt asks for. */
export interface AskedTask {
  /** Of whoever asks. */
  readonly taskId: TaskId;
  readonly attempt: number;
  /** Unique among the requests of its task: where its answer is looked for. */
  readonly request: string;
  readonly task: Omit<SpawnedTask, "limit">;
  /** What was stated of its money; a dimension that was not is a share of what is there. */
  readonly limit: Partial<Amounts>;
  /** Its input as JSON text. */
  readonly input: string;
  /** False where the budget guard refuses nothing. */
  readonly isEnforced: boolean;
}

/** The scheduler's answer to a worker that asked: which task it is, or an error of the table. */
export const spawnAnswerSchema = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("spawned"), taskId: z.string() }),
  z.strictObject({
    outcome: z.literal("refused"),
    code: z.enum(["spawn_limit", "spawn_conflict", "budget_refused", "envelope_closed"]),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
]);
export type SpawnAnswer = z.infer<typeof spawnAnswerSchema>;

/** How a spawned task ended, for the parent that waits for it. The output of a completed one is read beside it. */
export const childEndSchema = z.strictObject({
  status: z.string(),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type ChildEnd = z.infer<typeof childEndSchema>;

/** Where a worker finds what the scheduler answered, among the answers to its task. */
export function spawnAnswerKey(key: string): string {
  return `spawn:${key}`;
}

/** Where a worker finds how a task ended that its own task spawned. */
export function childEndKey(childId: string): string {
  return `ended:${childId}`;
}
