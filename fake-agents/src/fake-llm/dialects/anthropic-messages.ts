/** Anthropic messages: https://docs.anthropic.com/en/api/messages and /messages-streaming. Every id is fixed: same script, same bytes. */
import type { PlannedPart } from "../answer-part.ts";
import type { FakeUsage } from "../reply.ts";
import { blockOf, deltaOf, emptyBlockOf } from "./anthropic-blocks.ts";
import { anthropicError, anthropicErrorBody } from "./anthropic-errors.ts";
import { anthropicRateLimitHeaders } from "./anthropic-rate-limits.ts";
import { readMessages } from "./anthropic-request.ts";
import type { AnswerEvents, Dialect, DialectAnswer, JsonObject } from "./dialect.ts";

export const anthropicMessages: Dialect = {
  api: "anthropic-messages",
  path: "/messages",
  ping: event("ping", {}),
  brokenEvent: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  readRequest: readMessages,
  whole: ({ parts, usage, ...answer }) => ({
    ...message({ parts, ...answer }),
    content: parts.map(blockOf),
    ...stopOf(answer.finishReason),
    usage: usage && usageOf(usage),
  }),
  events: (answer) => new MessagesEvents(answer),
  errorBody: anthropicErrorBody,
  errorIn200: anthropicError,
  rateLimitHeaders: anthropicRateLimitHeaders,
};

function message({ model }: DialectAnswer) {
  return { id: "msg_fake", type: "message", role: "assistant", model, container: null };
}

/** `pause_turn`, `stop_sequence` and what nobody knows go out as they are. */
const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

function stopOf(finishReason: string): JsonObject {
  const reason = finishReason === "none" ? null : (stopReasons[finishReason] ?? finishReason);
  const refusal = { type: "refusal", category: null, explanation: null };
  return {
    stop_reason: reason,
    stop_sequence: null,
    stop_details: reason === "refusal" ? refusal : null,
  };
}

/** Cached input stands apart from the rest of it, unlike in OpenAI's usage. What the script leaves out stays out. */
function usageOf(usage: FakeUsage): JsonObject {
  const { cached_tokens: read = 0, cache_write_tokens: written = 0 } =
    usage.prompt_tokens_details ?? {};
  const input = usage.prompt_tokens;
  const thinking = usage.completion_tokens_details?.reasoning_tokens;
  return {
    input_tokens: input === undefined ? undefined : input - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.completion_tokens,
    ...(thinking !== undefined && { output_tokens_details: { thinking_tokens: thinking } }),
  };
}

function event(type: string, more: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

class MessagesEvents implements AnswerEvents {
  readonly #answer: DialectAnswer;

  constructor(answer: DialectAnswer) {
    this.#answer = answer;
  }

  begin(usage: FakeUsage | undefined): string {
    const known = usage && usageOf({ ...usage, completion_tokens: 0 });
    const start = { ...message(this.#answer), content: [], ...stopOf("none"), usage: known };
    return event("message_start", { message: start }) + anthropicMessages.ping;
  }

  open(part: PlannedPart): string {
    return event("content_block_start", { index: part.index, content_block: emptyBlockOf(part) });
  }

  delta(part: PlannedPart, piece: string): string {
    return event("content_block_delta", { index: part.index, delta: deltaOf(part, piece) });
  }

  close(part: PlannedPart): string {
    const { index } = part;
    const signature = part.type === "reasoning" ? part.signature : undefined;
    const delta = { type: "signature_delta", signature };
    const signed = signature === undefined ? "" : event("content_block_delta", { index, delta });
    return signed + event("content_block_stop", { index });
  }

  finish(usage: FakeUsage | undefined): readonly string[] {
    const delta = stopOf(this.#answer.finishReason);
    return [event("message_delta", { delta, usage: usage && usageOf(usage) })];
  }

  end(): string {
    return event("message_stop", {});
  }

  error(error: JsonObject): string {
    return event("error", anthropicError(error));
  }
}
