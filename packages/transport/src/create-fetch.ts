import type { GuardedFetch } from "@bridle/ports";

import { Transport } from "./transport.ts";
import type { FetchOptions } from "./transport.ts";

/** A `GuardedFetch` that owns connections. */
export interface TransportFetch extends GuardedFetch {
  /** Ends every call in flight and closes every connection. Idempotent. */
  close(): Promise<void>;
}

/**
 * The fetch behind the call layer, whose clocks rule: here only the wait for a connection, connecting and writing are limited. Reads no
 * environment unless it is given. A call rejects with a `TransportError`, a `TransportFailure`, the signal's reason, or the fault of the layer below with its code.
 */
export function createFetch(options: FetchOptions = {}): TransportFetch {
  const environment = options.environment ?? {};
  const transport = new Transport(options, { isDropIn: false, environment });
  return Object.assign(
    async (...[url, request]: Parameters<GuardedFetch>) => transport.send(url, request),
    { close: async () => transport.close() },
  );
}
