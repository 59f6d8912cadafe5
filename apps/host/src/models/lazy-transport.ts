import type { GuardedFetch } from "@bridle/ports";
import type { FetchOptions, TransportFetch } from "@bridle/transport";

export interface LazyTransport {
  readonly fetch: GuardedFetch;
  /** Loads it, so that the first call finds it loaded. */
  warm(): void;
  close(): Promise<void>;
}

/** The transport without its load at every start (undici: 90 ms): the first call, or `warm`, brings it. */
export function lazyTransport(options: FetchOptions = {}): LazyTransport {
  let loading: Promise<TransportFetch> | undefined;
  let isClosed = false;
  const load = async (): Promise<TransportFetch> => {
    const { createFetch } = await import("@bridle/transport");
    const transport = createFetch(options);
    // A call that came before the close: the closed transport refuses it in its own words.
    if (isClosed) await transport.close();
    return transport;
  };
  return {
    fetch: async (url, request) => (await (loading ??= load()))(url, request),
    warm: () => void (loading ??= load()).catch(() => undefined),
    close: async () => {
      isClosed = true;
      await (await loading)?.close();
    },
  };
}
