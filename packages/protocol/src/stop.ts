import { z } from "zod";

import { wireAmountsSchema } from "./amounts.ts";

export const guardNames = [
  "watchdog",
  "breaker",
  "budget",
  "governor",
  "limits",
  "scheduler",
  "user",
  "none",
] as const;

/**
 * The stop contract: what every abnormal end carries, the same in API, SSE, CLI, pages and webhooks.
 * `guard: none` means that nothing stepped in: the agent itself failed.
 */
export const stopSchema = z.strictObject({
  /** Machine-readable: an end cause, or a run-level reason such as `run_timeout`. */
  reason: z.string(),
  guard: z.enum(guardNames),
  /** The rule that acted, e.g. `WD-5`, or the setting that did, e.g. `timeout.task`. */
  rule: z.string(),
  /** The figures the decision rests on. */
  evidence: z.record(z.string(), z.unknown()),
  spent: wireAmountsSchema,
  reserved: wireAmountsSchema,
  limit: wireAmountsSchema,
  partialOutput: z.unknown().optional(),
  /** Whether a person can let it go on (raise, resume, retry) without starting over. */
  resumable: z.boolean(),
  /** Plain words: what to do next. */
  hint: z.string(),
});

export type Stop = z.infer<typeof stopSchema>;
