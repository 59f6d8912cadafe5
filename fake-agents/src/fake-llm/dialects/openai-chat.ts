/** OpenAI chat completions: https://platform.openai.com/docs/api-reference/chat. Every id and time is fixed: same script, same bytes. */
import type { PlannedPart, PlannedToolCall } from "../answer-part.ts";
import type { FakeUsage } from "../reply.ts";
import { numberOf, objectsIn, roleOf, textOf } from "./dialect.ts";
import type { AnswerEvents, AskedFor, Dialect, DialectAnswer, JsonObject } from "./dialect.ts";
import { openAiErrorBody, openAiRateLimitHeaders } from "./openai-shared.ts";

const envelope = { id: "chatcmpl-fake", created: 1_700_000_000 };

export const openAiChat: Dialect = {
  api: "openai-chat",
  path: "/chat/completions",
  ping: ": ping\n\n",
  brokenEvent: 'data: {"choices":[{"delta":{"content":"half\n\n',
  readRequest,
  whole,
  events: (answer) => new ChatEvents(answer),
  errorBody: openAiErrorBody,
  errorIn200: (error) => ({ error }),
  rateLimitHeaders: openAiRateLimitHeaders,
};

function readRequest(body: JsonObject): AskedFor | undefined {
  const { model, messages } = body;
  if (typeof model !== "string" || !Array.isArray(messages)) return undefined;
  return {
    model,
    messages: objectsIn(messages).map(({ role, content }) => ({
      role: roleOf(role),
      content: textOf(content),
    })),
    maxTokens: numberOf(body["max_completion_tokens"] ?? body["max_tokens"]),
    stream: body["stream"] === true,
  };
}

function whole({ model, parts, usage, ...answer }: Parameters<Dialect["whole"]>[0]): JsonObject {
  const calls = parts.filter((part) => part.type === "tool_call");
  const said = (type: PlannedPart["type"]): string | null => {
    const texts = parts.filter((part) => part.type === type).map(({ text }) => text);
    return texts.length === 0 ? null : texts.join("");
  };
  const refusal = said("refusal");
  const isSilent = calls.length > 0 || refusal !== null;
  const reasoning = said("reasoning");
  const message = {
    role: "assistant",
    content: said("text") ?? (isSilent ? null : ""),
    refusal,
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, at) => wholeCall(call, at)),
    }),
  };
  const finishReason = finishReasonOf({ parts, ...answer });
  return {
    ...envelope,
    object: "chat.completion",
    model,
    choices: [{ index: 0, message, finish_reason: finishReason ?? null }],
    usage,
  };
}

/** A refusal is no reason of its own here: it ends with `stop`. */
function finishReasonOf(answer: Pick<DialectAnswer, "parts" | "finishReason">): string | undefined {
  const { parts, finishReason } = answer;
  if (finishReason === "none") return undefined;
  const isRefusal = finishReason === "refusal" && parts.some(({ type }) => type === "refusal");
  return isRefusal ? "stop" : finishReason;
}

function wholeCall({ id, name, text }: PlannedToolCall, at: number): JsonObject {
  return { id: id ?? `call_fake_${at}`, type: "function", function: { name, arguments: text } };
}

class ChatEvents implements AnswerEvents {
  readonly #answer: DialectAnswer;
  /** The call whose name has not gone out: it goes with its first piece. */
  #unannounced: PlannedToolCall | undefined;
  /** Calls that were opened. */
  #calls = 0;

  constructor(answer: DialectAnswer) {
    this.#answer = answer;
  }

  begin(): string {
    return this.#chunk({ delta: { role: "assistant", content: "" } });
  }

  open(part: PlannedPart): string {
    if (part.type !== "tool_call") return "";
    this.#unannounced = part;
    this.#calls += 1;
    return "";
  }

  delta(part: PlannedPart, piece: string): string {
    return this.#chunk({ delta: this.#deltaOf(part, piece) });
  }

  close(): string {
    return "";
  }

  /** Usage stands in a last chunk without choices. */
  finish(usage: FakeUsage | undefined): readonly string[] {
    const finishReason = finishReasonOf(this.#answer);
    const finish = finishReason && this.#chunk({ delta: {}, finish_reason: finishReason });
    return [finish ?? "", usage ? this.#event({ choices: [], usage }) : ""];
  }

  end(): string {
    return "data: [DONE]\n\n";
  }

  error(error: JsonObject): string {
    return `data: ${JSON.stringify({ error })}\n\n`;
  }

  #deltaOf(part: PlannedPart, piece: string): JsonObject {
    if (part.type === "text") return { content: piece };
    if (part.type === "reasoning") return { reasoning_content: piece };
    if (part.type === "refusal") return { refusal: piece };
    const index = this.#calls - 1;
    const isFirst = this.#unannounced === part;
    this.#unannounced = undefined;
    const call = isFirst
      ? { index, ...wholeCall({ ...part, text: piece }, index) }
      : { index, function: { arguments: piece } };
    return { tool_calls: [call] };
  }

  #chunk(choice: JsonObject): string {
    return this.#event({ choices: [{ index: 0, finish_reason: null, ...choice }] });
  }

  #event(more: JsonObject): string {
    const { model } = this.#answer;
    const chunk = { ...envelope, object: "chat.completion.chunk", model, ...more };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
