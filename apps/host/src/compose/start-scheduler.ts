import { createExpressions } from "@bridle/expressions";
import { Scheduler } from "@bridle/orchestrator";

import type { Config } from "../config/check-config.ts";
import type { Parts } from "./parts.ts";
import { startAlerts } from "./start-alerts.ts";

export interface StartedScheduler {
  /** This one works; others on the same store stand by. */
  readonly isLeading: boolean;
  /** Its loop comes round; if not, only a restart helps (B178). */
  readonly isAlive: boolean;
  /** For when the start is over: loads what the first run will need. */
  warm(): void;
  stop(): Promise<void>;
}

/** A minute, or five leases: far beyond any answer the store may take, so that only a loop that stands still is meant. */
export function isTurning(silentMs: number, liveness: Config["liveness"]): boolean {
  return silentMs < Math.max(60_000, 5 * liveness.schedulerLeaseMs);
}

/** Resolves when the lease was tried once: leading, or standing by. */
export async function startScheduler(parts: Parts): Promise<StartedScheduler> {
  const { store, queue, bus, clock, config, bootId } = parts;
  const { liveness } = config;
  const log = parts.log.child({ part: "scheduler" });
  const expressions = createExpressions({ clock });
  const scheduler = new Scheduler({
    store,
    queue,
    expressions,
    bus,
    clock,
    bootId,
    settings: {
      leaseMs: liveness.schedulerLeaseMs,
      renewMs: liveness.schedulerRenewMs,
      pollMs: liveness.pollMs,
      reconcileMs: liveness.reconcileMs,
      holdExpiryMs: liveness.holdExpiryMs,
      probeQuietMs: liveness.probeQuietMs,
    },
    onError: (error, runId) => log.error("scheduler error", { error, runId }),
  });
  const alerts = await startAlerts(parts);
  await scheduler.start().catch(async (error: unknown) => {
    await alerts.stop();
    throw error;
  });
  return {
    get isLeading() {
      return scheduler.isLeading;
    },
    get isAlive() {
      return isTurning(clock.monotonicMs() - scheduler.turnedAtMs, liveness);
    },
    warm: () => expressions.warm(),
    async stop() {
      await scheduler.stop();
      await alerts.stop();
      await expressions.close();
    },
  };
}
