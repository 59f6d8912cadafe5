import type { GuardedFetch, GuardedRequest } from "@bridle/ports";

import { endAtDone } from "./end-at-done.ts";

/** What one call's stream tells beside its parts. Contract: synchronous, never throws. */
export interface StreamSigns {
  readonly onBytes: () => void;
  /** The connection broke after its headers; the stream ends with what had arrived. */
  readonly onBroken: (error: unknown) => void;
}

/** Our fetch in the shape the AI SDK calls, for one call: a stream is expected, bytes are told of, `[DONE]` ends it. */
export function sdkFetch(fetch: GuardedFetch, signs: StreamSigns): typeof globalThis.fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await fetch(url, toGuarded(init ?? {}, signs.onBytes));
    if (!response.ok || response.body === null) return response;
    return new Response(endAtDone(response.body, signs.onBroken), {
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
