export interface TransportOptions {
  /** Time for DNS, TCP and TLS together. Default 30 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** Idle time before TCP keepalive probes, so that a half-open peer is found. 15–30 s, default 15 s. */
  readonly keepAliveProbeMs?: number | undefined;
  /** How long an unused connection is kept for the next call, unless the server hints at less. Default 30 s. */
  readonly idleConnectionMs?: number | undefined;
  /**
   * Connections per origin; further calls wait without a sign, so it must lie above the cap of calls in flight per provider
   * (64, BR-16). Default 128.
   */
  readonly connectionsPerOrigin?: number | undefined;
  /** Largest body of an answer. Default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Largest body of an answer that is no success. Default 1 MiB. */
  readonly maxErrorBytes?: number | undefined;
}

export type ResolvedTransportOptions = {
  readonly [Name in keyof TransportOptions]-?: number;
};

const defaults: ResolvedTransportOptions = {
  connectTimeoutMs: 30_000,
  keepAliveProbeMs: 15_000,
  idleConnectionMs: 30_000,
  connectionsPerOrigin: 128,
  maxResponseBytes: 64 * 1024 * 1024,
  maxErrorBytes: 1024 * 1024,
};

/** Throws a RangeError that names the option. */
export function resolveTransportOptions(options: TransportOptions): ResolvedTransportOptions {
  const names = Object.keys(defaults) as (keyof TransportOptions)[];
  const resolved = Object.fromEntries(names.map((name) => [name, options[name] ?? defaults[name]]));
  for (const name of names) {
    const value = resolved[name];
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      throw new RangeError(`${name} must be a whole number of at least 1, not ${value}.`);
    }
  }
  // Safe: every name was filled and checked just above.
  return resolved as ResolvedTransportOptions;
}
