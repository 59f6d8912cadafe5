import type { AskedFor, Dialect, FakeApi, JsonObject } from "./dialects/dialect.ts";
import { openAiChat } from "./dialects/openai-chat.ts";

/** One request as the provider understood it. */
export interface FakeRequest extends AskedFor {
  /** Counts from 0 over all requests, and over those for this model. */
  readonly index: number;
  readonly indexForModel: number;
  /** By which it came, and by which it is answered. */
  readonly api: FakeApi;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined when the body is no request of this dialect. */
export function readFakeRequest(
  text: string,
  place: Pick<FakeRequest, "index" | "headers"> & { indexForModel: (model: string) => number },
  dialect: Dialect = openAiChat,
): FakeRequest | undefined {
  const body = jsonObject(text);
  const asked = body && dialect.readRequest(body);
  if (asked === undefined) return undefined;
  return {
    ...asked,
    index: place.index,
    indexForModel: place.indexForModel(asked.model),
    api: dialect.api,
    headers: place.headers,
  };
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
