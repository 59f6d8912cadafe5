import { bridleError, livenessDefaults } from "@bridle/protocol";

export interface SchedulerSettings {
  /** Name of the partition lease; one partition holds all runs in this depth. */
  readonly partition: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Longest time a result, a cancel or a new run waits when every wake-up is lost. */
  readonly pollMs: number;
  /** Age at which a fenced but unclaimed attempt is enqueued again. */
  readonly reconcileMs: number;
  readonly holdExpiryMs: number;
}

export const schedulerDefaults: SchedulerSettings = {
  partition: "scheduler:0",
  leaseMs: livenessDefaults.schedulerLeaseMs,
  renewMs: livenessDefaults.schedulerRenewMs,
  pollMs: livenessDefaults.pollMs,
  reconcileMs: livenessDefaults.reconcileMs,
  holdExpiryMs: livenessDefaults.holdExpiryMs,
};

/** A lease must survive two missed renewals, or one slow store call would hand the partition over. */
export function checkSchedulerSettings(settings: SchedulerSettings): SchedulerSettings {
  for (const key of ["leaseMs", "renewMs", "pollMs", "reconcileMs", "holdExpiryMs"] as const) {
    if (Number.isFinite(settings[key]) && settings[key] > 0) continue;
    throw bridleError("config_invalid", {
      message: `scheduler.${key} is ${settings[key]}. Give a positive number of milliseconds.`,
    });
  }
  if (settings.renewMs * 3 > settings.leaseMs) {
    throw bridleError("config_invalid", {
      message: `scheduler.renewMs (${settings.renewMs}) is more than a third of scheduler.leaseMs (${settings.leaseMs}). Renew at least three times within a lease.`,
    });
  }
  return settings;
}
