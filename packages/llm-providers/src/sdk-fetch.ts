import type { GuardedFetch, GuardedRequest } from "@bridle/ports";

import { endAtDone } from "./end-at-done.ts";

/** Our fetch in the shape the AI SDK calls, for one call: a stream is expected, bytes are told of, `[DONE]` ends it. */
export function sdkFetch(fetch: GuardedFetch, onBytes: () => void): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await fetch(url, toGuarded(init ?? {}, onBytes));
    if (!response.ok || response.body === null) return response;
    return new Response(endAtDone(response.body), {
      status: response.status,
      headers: response.headers,
    });
  };
}

function toGuarded(init: RequestInit, onBytes: () => void): GuardedRequest {
  return {
    method: init.method ?? "GET",
    headers: Object.fromEntries(new Headers(init.headers)),
    body: typeof init.body === "string" ? init.body : undefined,
    signal: init.signal ?? undefined,
    expect: "event-stream",
    onBytes,
  };
}
