import { readRequest } from "./read-request.ts";
import { Transport } from "./transport.ts";
import type { FetchOptions } from "./transport.ts";

/** The web's `fetch`, bounded. */
export interface DropInFetch {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Ends every call in flight and closes every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * A `fetch` for any SDK that takes one. Set the SDK's own retries to 0: each call here is one request. The environment is the
 * process's unless another is given. A call rejects with a `TransportError`, a `TransportFailure`, or the signal's reason; SDKs hand
 * it on as the `cause` of theirs.
 */
export function createGuardedFetch(options: FetchOptions = {}): DropInFetch {
  const environment = options.environment ?? process.env;
  const transport = new Transport(options, { isDropIn: true, environment });
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const { url, ...request } = await readRequest(input, init ?? {}, transport.settings);
    const response = await transport.send(url, request);
    Object.defineProperty(response, "url", { value: url.split("#")[0] });
    return response;
  };
  return Object.assign(fetch, { close: async () => transport.close() });
}
