import { createExpressions } from "@bridle/expressions";
import { Scheduler } from "@bridle/orchestrator";

import type { Parts } from "./parts.ts";

export interface StartedScheduler {
  /** This one works; others on the same store stand by. */
  readonly isLeading: boolean;
  stop(): Promise<void>;
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
    },
    onError: (error, runId) => log.error("scheduler error", { error, runId }),
  });
  await scheduler.start();
  return {
    get isLeading() {
      return scheduler.isLeading;
    },
    async stop() {
      await scheduler.stop();
      await expressions.close();
    },
  };
}
