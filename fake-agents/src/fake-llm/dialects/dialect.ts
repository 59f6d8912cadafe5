/**
 * How one API says what a reply means. A further API is one more file that implements this, entered in `all-dialects.ts`: scripts,
 * counters and the ways of going wrong know none of them.
 */
import type { PlannedPart } from "../answer-part.ts";
import type { RateLimits } from "../reply-headers.ts";
import type { FakeUsage } from "../reply.ts";

export type FakeApi = "openai-chat" | "openai-responses" | "anthropic-messages";

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a request asks, whatever API it came by. */
export interface AskedFor {
  readonly model: string;
  /** Instructions are `system`, results of tools `tool`. */
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly maxTokens: number | undefined;
  readonly stream: boolean;
}

export interface DialectAnswer {
  readonly model: string;
  readonly parts: readonly PlannedPart[];
  /** `stop`, `length`, `tool_calls`, `content_filter` and `refusal` are spelled as the API does; others go out as is. `none`: left out. */
  readonly finishReason: string;
}

/** Events of one stream as bytes; empty where the API has none. Contract: called in order, once per part and kind but for `delta`. */
export interface AnswerEvents {
  /** `usage` is what is known before the first word. */
  begin(usage: FakeUsage | undefined): string;
  open(part: PlannedPart): string;
  delta(part: PlannedPart, piece: string): string;
  close(part: PlannedPart): string;
  /** The stop reason and the usage, in as many events as the API takes. */
  finish(usage: FakeUsage | undefined): readonly string[];
  /** The marker after which nothing comes. */
  end(): string;
  /** An error inside the stream. */
  error(error: JsonObject): string;
}

export interface Dialect {
  readonly api: FakeApi;
  /** Its requests' paths end with this. */
  readonly path: string;
  /** A sign of life that carries nothing. */
  readonly ping: string;
  /** An event whose JSON is broken. */
  readonly brokenEvent: string;
  /** Undefined when the body is no request of this API. */
  readRequest(body: JsonObject): AskedFor | undefined;
  whole(answer: DialectAnswer & { readonly usage: FakeUsage | undefined }): JsonObject;
  events(answer: DialectAnswer): AnswerEvents;
  /** Body of an error status; `error` fills in or replaces what the API says by itself. */
  errorBody(status: number, error: JsonObject): JsonObject;
  /** The body of a 200 that is an error. */
  errorIn200(error: JsonObject, model: string): JsonObject;
  rateLimitHeaders(limits: RateLimits, now: () => number): Readonly<Record<string, string>>;
}

/** What `content` says, whether it is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (part as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === "string")
    .join("");
}

/** The members of a list that are objects; none when it is no list. */
export function objectsIn(list: unknown): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.filter(
    (member: unknown): member is JsonObject => typeof member === "object" && member !== null,
  );
}

export function roleOf(role: unknown): string {
  return typeof role === "string" ? role : "user";
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** Arguments as the value they are; what is no JSON stays the text it is. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}
