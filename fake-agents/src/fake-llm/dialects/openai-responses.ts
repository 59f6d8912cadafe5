/** OpenAI responses: https://platform.openai.com/docs/api-reference/responses and /responses-streaming. Every id and time is fixed. */
import type { PlannedPart } from "../answer-part.ts";
import type { FakeUsage } from "../reply.ts";
import type { AnswerEvents, Dialect, DialectAnswer, JsonObject } from "./dialect.ts";
import { openAiErrorBody, openAiRateLimitHeaders } from "./openai-shared.ts";
import { eventsOfPart, itemOf } from "./responses-items.ts";
import { readResponsesRequest } from "./responses-request.ts";

export const openAiResponses: Dialect = {
  api: "openai-responses",
  path: "/responses",
  ping: ": ping\n\n",
  brokenEvent:
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"half\n\n',
  readRequest: readResponsesRequest,
  whole: ({ usage, ...answer }) => finished(answer, usage),
  events: (answer) => new ResponsesEvents(answer),
  errorBody: openAiErrorBody,
  errorIn200: (error, model) => failed(model, error),
  rateLimitHeaders: openAiRateLimitHeaders,
};

function response(model: string, more: JsonObject): JsonObject {
  return {
    id: "resp_fake",
    object: "response",
    created_at: 1_700_000_000,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: null,
    ...more,
  };
}

const whole = new Set(["stop", "tool_calls", "refusal"]);
const incompleteReasons: Readonly<Record<string, string>> = { length: "max_output_tokens" };

function finished({ model, parts, finishReason }: DialectAnswer, usage: FakeUsage | undefined) {
  const output = parts.map((part) => itemOf(part, "completed"));
  const used = { output, usage: usage && usageOf(usage) };
  if (finishReason === "none") return response(model, used);
  if (whole.has(finishReason)) return response(model, { ...used, status: "completed" });
  const reason = incompleteReasons[finishReason] ?? finishReason;
  return response(model, { ...used, status: "incomplete", incomplete_details: { reason } });
}

function failed(model: string, error: JsonObject): JsonObject {
  const code = error["code"] ?? error["type"] ?? "server_error";
  return response(model, {
    status: "failed",
    error: { message: "Scripted failure.", ...error, code },
  });
}

/** Cached input and reasoning are parts of input and output. What the script leaves out stays out. */
function usageOf(usage: FakeUsage): JsonObject {
  const { prompt_tokens: input, completion_tokens: output } = usage;
  const sum = input === undefined || output === undefined ? undefined : input + output;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: 0,
      cache_write_tokens: 0,
      ...usage.prompt_tokens_details,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0, ...usage.completion_tokens_details },
    total_tokens: usage.total_tokens ?? sum,
  };
}

class ResponsesEvents implements AnswerEvents {
  readonly #answer: DialectAnswer;
  #sequenceNumber = 0;

  constructor(answer: DialectAnswer) {
    this.#answer = answer;
  }

  /** Nothing is said of usage before the end. */
  begin(): string {
    const started = { response: response(this.#answer.model, {}) };
    return this.#event("response.created", started) + this.#event("response.in_progress", started);
  }

  open(part: PlannedPart): string {
    return this.#all(eventsOfPart(part).open);
  }

  delta(part: PlannedPart, piece: string): string {
    return this.#all(eventsOfPart(part).delta(piece));
  }

  close(part: PlannedPart): string {
    return this.#all(eventsOfPart(part).close);
  }

  /** The last event holds the whole response. Without a reason there is no such event. */
  finish(usage: FakeUsage | undefined): readonly string[] {
    const { finishReason } = this.#answer;
    if (finishReason === "none") return [];
    const done = finished(this.#answer, usage);
    return [this.#event(`response.${String(done["status"])}`, { response: done })];
  }

  end(): string {
    return "";
  }

  /** As it is met in the wild: the error itself, and the response that failed of it. */
  error(error: JsonObject): string {
    const code = error["code"] ?? error["type"] ?? null;
    const event = this.#event("error", {
      message: "Scripted failure.",
      param: null,
      ...error,
      type: "error",
      code,
    });
    const { model } = this.#answer;
    return event + this.#event("response.failed", { response: failed(model, error) });
  }

  #all(events: readonly (readonly [string, JsonObject])[]): string {
    return events.map(([type, more]) => this.#event(type, more)).join("");
  }

  #event(type: string, more: JsonObject): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequenceNumber, ...more });
    this.#sequenceNumber += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
