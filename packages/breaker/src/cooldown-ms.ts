import type { BreakerSettings } from "./breaker-settings.ts";

export interface CooldownQuestion {
  readonly settings: Pick<BreakerSettings, "cooldown" | "cooldownMax" | "cooldownJitter">;
  /** Openings in a row, 1 for the first. */
  readonly openCount: number;
  /** Uniform in [0, 1). */
  readonly chance: number;
  /** What a server asked for, from now. */
  readonly retryAfterMs: number;
}

/** BR-11: doubles per opening up to the cap, spread by the jitter, never below what the server asked for. Whole ms. */
export function cooldownMs({
  settings,
  openCount,
  chance,
  retryAfterMs,
}: CooldownQuestion): number {
  const doubled = Math.min(settings.cooldown * 2 ** (openCount - 1), settings.cooldownMax);
  const spread = doubled * (1 + settings.cooldownJitter * (2 * chance - 1));
  return Math.max(Math.round(spread), Math.ceil(retryAfterMs));
}
