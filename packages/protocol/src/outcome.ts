import { z } from "zod";

import { endCauseNames } from "./end-causes.ts";
import type { EndCause } from "./end-causes.ts";
import { stopSchema } from "./stop.ts";

const endCauseSchema = z.enum(endCauseNames as [EndCause, ...EndCause[]]);

/** How an attempt ended, as the worker that held it says. The output itself travels beside it, by reference. */
export const taskOutcomeSchema = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("completed"),
    outputBytes: z.int().nonnegative(),
    /** What was done in place of what was asked for; empty when nothing was. */
    degraded: z.array(z.string()),
  }),
  z.strictObject({
    status: z.literal("failed"),
    cause: endCauseSchema,
    /** One sentence for people. */
    message: z.string(),
    /** Code of the error, matched against `retry.nonRetryable`. */
    code: z.string(),
    /** False when the failure says of itself that trying again cannot help. */
    retryable: z.boolean(),
    /** Earliest next try, from now, when the failure names one (a breaker's cooldown, Retry-After). */
    retryAfterMs: z.int().nonnegative().optional(),
    stop: stopSchema,
    /** What was done in place of what was asked for before it failed; absent when nothing was. */
    degraded: z.array(z.string()).optional(),
  }),
]);

export type TaskOutcome = z.infer<typeof taskOutcomeSchema>;
