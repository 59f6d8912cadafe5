import { AlertDesk } from "@bridle/alerts";
import { systemRandom } from "@bridle/kernel/system";
import type { GuardedFetch } from "@bridle/ports";
import { alertSchema, alertSources } from "@bridle/protocol";

import { openReceivers } from "../alerts/open-receivers.ts";
import { lazyTransport } from "../models/lazy-transport.ts";
import type { Parts } from "./parts.ts";
import { withoutUndefined } from "./without-undefined.ts";

const sources: ReadonlySet<string> = new Set(alertSources);

/** An answer is not read beyond its status, and a receiver gets one request at a time. */
const webhookTransport = {
  connectMs: 10_000,
  connectionsPerOrigin: 8,
  maxResponseBytes: 65_536,
  maxErrorBytes: 65_536,
} as const;

export interface StartedAlerts {
  stop(): Promise<void>;
}

/**
 * Raises and delivers alerts wherever a scheduler may run, also without a webhook: they are lines of the log and the list of the API.
 * Rejects with `config_invalid` when a webhook's secret cannot be had.
 */
export async function startAlerts(parts: Parts): Promise<StartedAlerts> {
  const { store, bus, clock, config, bootId, secrets, version } = parts;
  const log = parts.log.child({ part: "alerts" });
  const transports = [false, true].map((allowClearText) =>
    lazyTransport({ ...webhookTransport, allowClearText }),
  );
  const receivers = await openReceivers(config, {
    secrets,
    // Both are there: one for each of the two values.
    fetch: (allowClearText) => transports[allowClearText ? 1 : 0]?.fetch as GuardedFetch,
    clock,
    userAgent: `bridle/${version}`,
  });
  const { repeatMs, perMinute } = config.alerts ?? {};
  const desk = new AlertDesk({
    store,
    receivers,
    clock,
    random: systemRandom,
    bootId,
    settings: {
      pollMs: config.liveness.pollMs,
      leaseMs: config.liveness.schedulerLeaseMs,
      ...withoutUndefined({ repeatMs, perMinute }),
    },
    redact: (alert) => alertSchema.parse(parts.redact(alert)),
    onAlert: (event) => bus.emit(event),
    onError: (error) => log.warn("alerts are late", { error }),
  });
  const unsubscribe = bus.onAny(({ type }) => {
    if (sources.has(type)) desk.wake();
  });
  desk.start();
  return {
    async stop() {
      unsubscribe();
      await desk.stop();
      await Promise.all(transports.map(async (transport) => transport.close()));
    },
  };
}
