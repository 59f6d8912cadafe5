/** Token counts as an OpenAI-compatible provider reports them; any of them may be missing. */
export interface FakeUsage {
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  readonly total_tokens?: number | undefined;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | undefined } | undefined;
  readonly completion_tokens_details?:
    | { readonly reasoning_tokens?: number | undefined }
    | undefined;
}

/** A proper answer, whole or streamed as the request asks. Everything left out is honest and deterministic. */
export interface AnswerReply {
  readonly type: "answer";
  /** Default: a useful text made from the prompt. */
  readonly text?: string | undefined;
  /** What is reported; `missing` leaves it out. Default: what was really counted. */
  readonly usage?: FakeUsage | "missing" | undefined;
  /** Sent as is, known to the world or not; `none` leaves it out and ends the stream cleanly. Default `stop`, or `length` at the limit. */
  readonly finishReason?: string | undefined;
  /** Goes on beyond `max_tokens`, as a provider that does not honour it. */
  readonly ignoreMaxTokens?: boolean | undefined;
  /** Pause before each piece of the stream. */
  readonly delayMs?: number | undefined;
  /** Leaves the connection open after `[DONE]`. */
  readonly holdOpen?: boolean | undefined;
}

/** What the provider does with one request. Plain JSON, so that a script can stand in a file. */
export type FakeReply =
  | AnswerReply
  /** An HTTP error, with an error object as body unless told otherwise. */
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly body?: unknown;
      /** The body repeats the credential it was sent, as careless gateways do. */
      readonly echoCredential?: boolean | undefined;
    }
  /** HTTP 200 and then an error object inside the stream (or as the JSON body), after some characters of text. */
  | {
      readonly type: "error_in_200";
      readonly error: Readonly<Record<string, unknown>>;
      readonly afterCharacters?: number | undefined;
    }
  /** Says nothing more until `release()`: before the headers, or after that many characters of text. Then it finishes as an answer. */
  | {
      readonly type: "hang";
      readonly at: "headers" | "body";
      readonly afterCharacters?: number | undefined;
      readonly text?: string | undefined;
    }
  /** Breaks off: a clean end without a finish, a closed connection, or a TCP reset. */
  | {
      readonly type: "cut";
      readonly how: "end" | "close" | "reset";
      readonly at: "headers" | "body";
      readonly afterCharacters?: number | undefined;
      /** Bytes sent just before the cut, such as half an event. */
      readonly tail?: string | undefined;
      /** The finish and the usage were sent before the cut. */
      readonly afterFinish?: boolean | undefined;
    }
  /** SSE comments for ever, no data. */
  | { readonly type: "ping_flood"; readonly everyMs: number }
  /** One broken JSON chunk after some characters, then on to a normal end. */
  | { readonly type: "malformed_chunk"; readonly afterCharacters?: number | undefined }
  /** A body as is: a login page, `null`, nothing. */
  | {
      readonly type: "raw";
      readonly status?: number | undefined;
      readonly contentType: string;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };
