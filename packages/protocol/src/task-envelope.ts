import { z } from "zod";

import { breakerTermsSchema } from "./spec.ts";

/**
 * What a worker needs to run one task, resolved by the scheduler and stored with the decision that schedules it. It is
 * all that a claim returns: a run of ten thousand tasks must not ship its whole workflow with each of them.
 */
export const taskEnvelopeSchema = z.strictObject({
  workflow: z.string(),
  agent: z.string(),
  /** The resolved input: any JSON. */
  input: z.unknown(),
  /** Explicit step timeout; absent: adaptive (WD-8). */
  stepMs: z.int().positive().optional(),
  taskMs: z.int().positive(),
  priority: z.enum(["foreground", "background"]),
  allowModelFallback: z.boolean(),
  /** Settings of the breaker `agent:<workflow>/<agent>`; absent: the worker's own. */
  breaker: breakerTermsSchema.optional(),
});

export type TaskEnvelope = z.infer<typeof taskEnvelopeSchema>;
