import { z } from "zod";

/**
 * What an agent says about itself. Task and attempt come from the channel it arrives on, never from the message (GC-6).
 */
export const beatSchema = z.strictObject({
  status: z.enum(["RUNNING", "WAITING", "FINISHED"]),
  step: z.int().nonnegative(),
  /** Moves within one step count as progress when this value changes. */
  progress: z.string().max(256).optional(),
  /** With WAITING: on what, and for how long from now. */
  waitingOn: z.string().max(128).optional(),
  waitMs: z.int().nonnegative().optional(),
});
export type Beat = z.infer<typeof beatSchema>;
