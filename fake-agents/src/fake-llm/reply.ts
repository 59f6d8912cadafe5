import type { AnswerPart } from "./answer-part.ts";
import type { HeaderScript } from "./reply-headers.ts";

/**
 * Token counts as OpenAI's chat completions name them; any of them may be missing. Cached input is part of the prompt here; each API
 * reports it in its own way.
 */
export interface FakeUsage {
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  readonly total_tokens?: number | undefined;
  readonly prompt_tokens_details?:
    | {
        readonly cached_tokens?: number | undefined;
        readonly cache_write_tokens?: number | undefined;
      }
    | undefined;
  readonly completion_tokens_details?:
    | { readonly reasoning_tokens?: number | undefined }
    | undefined;
}

/** What is said. Without either: a useful text made from the prompt. */
interface ContentScript {
  readonly text?: string | undefined;
  /** In place of `text`; an empty list is an answer that says nothing. */
  readonly parts?: readonly AnswerPart[] | undefined;
}

/** How far it is said before things go wrong. */
interface UntilScript extends ContentScript {
  /** Counted over texts and arguments. A part is complete in the stream once the next one has begun. */
  readonly afterCharacters?: number | undefined;
}

/** A proper answer, whole or streamed as the request asks. Everything left out is honest and deterministic. */
export interface AnswerReply extends ContentScript, HeaderScript {
  readonly type: "answer";
  /** What is reported; `missing` leaves it out. Default: what was really counted. */
  readonly usage?: FakeUsage | "missing" | undefined;
  /**
   * `stop`, `length`, `tool_calls`, `content_filter`, `refusal`: spelled as the API does. Any other is sent as is, known to the world
   * or not (`pause_turn`); `none` leaves it out and ends the stream cleanly. Default: what fits the parts, or `length` at the limit.
   */
  readonly finishReason?: string | undefined;
  /** Goes on beyond the limit of output tokens, as a provider that does not honour it. */
  readonly ignoreMaxTokens?: boolean | undefined;
  /** Pause before each piece of the stream. */
  readonly delayMs?: number | undefined;
  /** Leaves the connection open after the last event. */
  readonly holdOpen?: boolean | undefined;
  /** Says that the body is something else. */
  readonly contentType?: string | undefined;
}

/** What the provider does with one request, whatever API it came by. Plain JSON, so that a script can stand in a file. */
export type FakeReply =
  | AnswerReply
  /** An HTTP error, with the API's own error object as body unless told otherwise. */
  | ({
      readonly type: "status";
      readonly status: number;
      /** Members of the error object: `type`, `code`, `message`. */
      readonly error?: Readonly<Record<string, unknown>> | undefined;
      /** In place of the error object: JSON, or text as is. */
      readonly body?: unknown;
      /** The body repeats the credential it was sent, as careless gateways do. */
      readonly echoCredential?: boolean | undefined;
    } & HeaderScript)
  /** HTTP 200 and then an error inside the stream (or as the JSON body): before anything else, or after some characters. */
  | ({
      readonly type: "error_in_200";
      readonly error: Readonly<Record<string, unknown>>;
    } & UntilScript)
  /** Says nothing more until `release()`: before the headers, or after that many characters. Then it finishes as an answer. */
  | ({ readonly type: "hang"; readonly at: "headers" | "body" } & UntilScript)
  /** Breaks off: a clean end without a finish, a closed connection, or a TCP reset. */
  | ({
      readonly type: "cut";
      readonly how: "end" | "close" | "reset";
      readonly at: "headers" | "body";
      /** Bytes sent just before the cut, such as half an event. */
      readonly tail?: string | undefined;
      /** The finish and the usage were sent before the cut. */
      readonly afterFinish?: boolean | undefined;
    } & UntilScript)
  /** Signs of life for ever, no data. */
  | { readonly type: "ping_flood"; readonly everyMs: number }
  /** One broken JSON event after some characters, then on to a normal end. */
  | ({ readonly type: "malformed_chunk" } & UntilScript)
  /** Answers in HTTP/2 frames that the caller did not ask for, and closes: what a peer does that speaks nothing else. */
  | { readonly type: "http2_only" }
  /** A body as is: a login page, `null`, nothing. */
  | ({
      readonly type: "raw";
      readonly status?: number | undefined;
      readonly contentType: string;
      readonly body: string;
    } & HeaderScript);
