import { z } from "zod";

export const messageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant"]),
  content: z.string(),
});
export type Message = z.infer<typeof messageSchema>;

/**
 * Whether an answer given before will do (BU-18). `prefer`: whenever there is one, and calls for the same at once go out once.
 * `fallback`: only when a guard refuses the call, and then it is a degradation. Absent: never, and the answer is not kept.
 */
export const cacheUses = ["prefer", "fallback"] as const;

/** A model call as an agent asks for it. Either `prompt` or `messages`. */
export const modelRequestSchema = z.strictObject({
  model: z.string(),
  prompt: z.string().optional(),
  system: z.string().optional(),
  messages: z.array(messageSchema).optional(),
  maxOutputTokens: z.int().positive().max(1_000_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  cache: z.enum(cacheUses).optional(),
});
export type ModelRequest = z.infer<typeof modelRequestSchema>;

/** Tokens as the provider counts them; absent means unknown, never zero (BU-16). */
export interface TokenUsage {
  /** All of it, whether read from a cache, written to one, or neither. */
  readonly inputTokens?: number | undefined;
  /** All of it, reasoning included. */
  readonly outputTokens?: number | undefined;
  /** Of the input, what was read from a cache. */
  readonly cachedInputTokens?: number | undefined;
  /** Of the input, what was written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
  /** Of what was written, what is to be kept for an hour rather than for minutes. */
  readonly longCacheWriteTokens?: number | undefined;
  /** Of the output, what was thought and not said. */
  readonly reasoningTokens?: number | undefined;
}

export const modelResponseSchema = z.object({
  text: z.string(),
  finishReason: z.string(),
  /** `provider/model` that answered. */
  servedBy: z.string(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  /** An answer given before: it cost nothing, so its tokens are 0. */
  cached: z.literal(true).optional(),
});
export type ModelResponse = z.infer<typeof modelResponseSchema>;
