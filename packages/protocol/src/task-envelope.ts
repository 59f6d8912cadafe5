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
  /** Token limit of the narrowest envelope that pays; absent: without limit. For the floor of burning (BR-4). */
  envelopeTokens: z.int().nonnegative().optional(),
  /** Whose answers this task may be given again; absent: an installation without API keys. */
  tenant: z.string().optional(),
  /** Which rungs of the ladder a budget refusal may enter; absent: none. A breaker's refusal may enter all (BU-17). */
  onTrip: z.enum(["ladder", "cache", "nothing"]).optional(),
  /** A simpler flow may take its place: a refusal that no rung answers is told to the run at once. */
  hasSimplerFlow: z.literal(true).optional(),
  /** It is such a flow itself: what was set aside for it, and all it asks for comes from the ladder's credit (BU-19). */
  openingHold: z.string().optional(),
  /** Settings of the breaker `agent:<workflow>/<agent>`; absent: the worker's own. */
  breaker: breakerTermsSchema.optional(),
});

export type TaskEnvelope = z.infer<typeof taskEnvelopeSchema>;
