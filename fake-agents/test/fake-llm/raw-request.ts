import type { FakeApi } from "../../src/fake-llm/index.ts";
import { prompt } from "./heard.ts";

const messages = [{ role: "user", content: prompt }];

/** Where each API is asked, and with what. */
export const paths: Readonly<Record<FakeApi, string>> = {
  "openai-chat": "/chat/completions",
  "openai-responses": "/responses",
  "anthropic-messages": "/messages",
};

const bodies: Readonly<Record<FakeApi, object>> = {
  "openai-chat": { messages },
  "openai-responses": { input: prompt },
  "anthropic-messages": { messages, max_tokens: 1000 },
};

export function requestBody(api: FakeApi, stream: boolean): string {
  return JSON.stringify({ model: "m", stream, ...bodies[api] });
}

export interface RawAsk {
  readonly api: FakeApi;
  readonly stream: boolean;
  readonly signal?: AbortSignal;
}

/** A request without any client's help. */
export function fetchRaw(url: string, { api, stream, signal }: RawAsk): Promise<Response> {
  return fetch(url + paths[api], {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "secret-key-1" },
    body: requestBody(api, stream),
    ...(signal && { signal }),
  });
}

export interface RawEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** Server-sent events as they stand, comments left out. */
export function rawEvents(body: string): readonly RawEvent[] {
  return body
    .split("\n\n")
    .map((block) => ({
      event: /^event: (.+)$/m.exec(block)?.[1],
      data: /^data: (.+)$/m.exec(block)?.[1] ?? "",
    }))
    .filter(({ data }) => data !== "");
}
