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
  /** How long a half-open breaker may let nothing out before two more parked tasks are tried (BR-18). */
  readonly probeQuietMs: number;
  /** Decisions between snapshots, at least; a run of many tasks snapshots less often so that the sum stays linear. */
  readonly snapshotEvery: number;
  /** Log entries of one read: large enough to be quick, small enough not to hold a huge log twice. */
  readonly logPage: number;
  /** Inbox entries or due timers of one read. */
  readonly inboxPage: number;
  /** Live runs, lost or unclaimed attempts of one read: what is found at every look until it is dealt with. */
  readonly scanPage: number;
}

export const schedulerDefaults: SchedulerSettings = {
  partition: "scheduler:0",
  leaseMs: livenessDefaults.schedulerLeaseMs,
  renewMs: livenessDefaults.schedulerRenewMs,
  pollMs: livenessDefaults.pollMs,
  reconcileMs: livenessDefaults.reconcileMs,
  holdExpiryMs: livenessDefaults.holdExpiryMs,
  probeQuietMs: livenessDefaults.probeQuietMs,
  snapshotEvery: 1000,
  logPage: 1000,
  inboxPage: 500,
  scanPage: 200,
};

const durations = [
  "leaseMs",
  "renewMs",
  "pollMs",
  "reconcileMs",
  "holdExpiryMs",
  "probeQuietMs",
] as const;
const counts = ["snapshotEvery", "logPage", "inboxPage", "scanPage"] as const;

/** A lease must survive two missed renewals, or one slow store call would hand the partition over. */
export function checkSchedulerSettings(settings: SchedulerSettings): SchedulerSettings {
  for (const key of durations) {
    if (Number.isFinite(settings[key]) && settings[key] > 0) continue;
    throw bridleError("config_invalid", {
      message: `scheduler.${key} is ${settings[key]}. Give a positive number of milliseconds.`,
    });
  }
  for (const key of counts) {
    if (Number.isSafeInteger(settings[key]) && settings[key] > 0) continue;
    throw bridleError("config_invalid", {
      message: `scheduler.${key} is ${settings[key]}. Give a positive whole number.`,
    });
  }
  if (settings.renewMs * 3 > settings.leaseMs) {
    throw bridleError("config_invalid", {
      message: `scheduler.renewMs (${settings.renewMs}) is more than a third of scheduler.leaseMs (${settings.leaseMs}). Renew at least three times within a lease.`,
    });
  }
  return settings;
}
