/**
 * One model behind an OpenAI-compatible API as a `ModelTarget`, on the AI SDK's `doStream` and our own fetch.
 *
 * P1. One `stream` is one request on the wire: the SDK's retries belong to layers above `doStream`, which are not used.
 * P2. Whatever goes wrong is one `WireError` with its facts and without the credential.
 * P3. The reader is cancelled on every way out; a reader that is merely dropped keeps the connection open (measured).
 * P4. An answer is complete when its finish reason has been seen, whatever breaks afterwards, and only then (B025, B026).
 * P5. Address, model and credential of a call are one snapshot taken when it begins.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { WireError } from "@bridle/ports";
import type { GuardedFetch, ModelTarget, WirePart, WireRequest } from "@bridle/ports";

import { ChatReading } from "./chat-reading.ts";
import { readParts, ActivityFlag } from "./read-parts.ts";
import { createRedactor } from "./redact.ts";
import { sdkFetch } from "./sdk-fetch.ts";
import type { StreamSigns } from "./sdk-fetch.ts";
import { toPrompt } from "./to-prompt.ts";
import { toWireError, wireErrorOf } from "./to-wire-error.ts";

export interface OpenAiCompatibleTargetOptions {
  /** Name for keys, breakers and prices, such as `openai`. */
  readonly provider: string;
  /** The model's name as the provider knows it. */
  readonly model: string;
  /** Up to and without `/chat/completions`. Bound to the credential here, never taken from a workflow (B194). */
  readonly baseUrl: string;
  /** Asked once per call. An empty key sends nothing. */
  readonly apiKey: () => string | Promise<string>;
  /** Sent with every request; their values are kept out of errors like the key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: GuardedFetch;
}

/** The stream rejects with `WireError` only. */
export function createOpenAiCompatibleTarget(options: OpenAiCompatibleTargetOptions): ModelTarget {
  return {
    key: `${options.provider}/${options.model}`,
    stream: (request) => stream(options, request),
  };
}

async function* stream(
  options: OpenAiCompatibleTargetOptions,
  request: WireRequest,
): AsyncGenerator<WirePart> {
  const key = await readKey(options);
  const redact = createRedactor([key, ...Object.values(options.headers ?? {})]);
  const activity = new ActivityFlag();
  const reading = new ChatReading(redact);
  let reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart> | undefined;
  let broken: { readonly error: unknown } | undefined;
  const signs: StreamSigns = {
    onBytes: activity.raise,
    onBroken: (error) => {
      broken = { error };
    },
  };
  try {
    reader = await open({ options, request, key, signs });
    for await (const part of readParts(reader, activity)) yield* reading.read(part);
  } catch (error) {
    // P4: complete already, unless it was our side that ended it.
    const isComplete = reading.isComplete && !request.signal.aborted;
    if (!isComplete) throw toWireError(rootOf(error, broken), { stage: reading.stage, redact });
  } finally {
    // P3. A stream that has failed refuses to be cancelled; there is nothing left to close then.
    await reader?.cancel().catch(() => undefined);
  }
  yield reading.finish();
}

/** A broken connection explains an unreadable end; what the provider itself said about its failure stands. */
function rootOf(error: unknown, broken: { readonly error: unknown } | undefined): unknown {
  const isProvidersWord = error instanceof WireError && error.failure.malformed !== true;
  return broken === undefined || isProvidersWord ? error : broken.error;
}

/** A call without a credential would come back as a misleading 401 (credentials are refused here instead). */
async function readKey({ apiKey, provider }: OpenAiCompatibleTargetOptions): Promise<string> {
  let key = "";
  try {
    key = await apiKey();
  } catch {
    // Its message may hold the credential; that there is none is all that is told.
  }
  if (key !== "") return key;
  throw wireErrorOf(
    {
      providerCode: "no_credential",
      message: `There is no usable credential for ${provider}; nothing was sent.`,
    },
    { stage: "before_output", redact: (text) => text },
  );
}

interface OpenCall {
  readonly options: OpenAiCompatibleTargetOptions;
  readonly request: WireRequest;
  readonly key: string;
  readonly signs: StreamSigns;
}

/** A model per call costs a quarter of a millisecond and keeps the call's snapshot (P5) in one place. */
async function open({ options, request, key, signs }: OpenCall) {
  const model = createOpenAICompatible({
    name: options.provider,
    baseURL: options.baseUrl,
    apiKey: key,
    headers: { ...options.headers },
    includeUsage: true,
    fetch: sdkFetch(options.fetch, signs),
  }).chatModel(options.model);
  const { stream: parts } = await model.doStream({
    prompt: toPrompt(request.messages),
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: request.signal,
    // The SDK loses partial usage and a finish that comes before a cut; the raw chunks keep both.
    includeRawChunks: true,
    ...(request.temperature !== undefined && { temperature: request.temperature }),
    ...(request.traceparent !== undefined && { headers: { traceparent: request.traceparent } }),
  });
  return parts.getReader();
}
