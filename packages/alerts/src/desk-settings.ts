import { livenessDefaults } from "@bridle/protocol";

import type { CourierSettings } from "./courier.ts";
import type { DeskSettings } from "./reduce-desk.ts";

/** Times in ms. */
export interface AlertDeskSettings extends DeskSettings, Omit<CourierSettings, "timeoutMs"> {
  readonly pollMs: number;
  readonly leaseMs: number;
  /** A delivery that is older is given up. */
  readonly maxAgeMs: number;
  readonly expireEveryMs: number;
}

/**
 * A minute between two alerts of one subject is what a person can follow. The pauses double from 5 s to an hour, so that the
 * twentieth and last try comes 5 to 10 h after the first: a night without the receiver is bridged, and a day is the end in any case.
 */
export const alertDeskDefaults: AlertDeskSettings = {
  repeatMs: 60_000,
  perMinute: 60,
  firstPauseMs: 5000,
  longestPauseMs: 3_600_000,
  maxAttempts: 20,
  longestRestMs: 60_000,
  pollMs: livenessDefaults.pollMs,
  leaseMs: livenessDefaults.schedulerLeaseMs,
  maxAgeMs: 24 * 3_600_000,
  expireEveryMs: 60_000,
};

/** Throws a RangeError that names the setting. */
export function resolveDeskSettings(settings: Partial<AlertDeskSettings>): AlertDeskSettings {
  const resolved = { ...alertDeskDefaults, ...settings };
  for (const [name, value] of Object.entries(resolved)) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new RangeError(`${name} must be a whole number of at least 1, not ${String(value)}.`);
  }
  return resolved;
}
