export type { BreakerCounts, BreakerView } from "./breaker-entry.ts";
export { BreakerSet } from "./breaker-set.ts";
export type {
  BreakerAdmission,
  BreakerCheck,
  BreakerRefusal,
  BreakerSetOptions,
  GuardMode,
  Permit,
  PermitFacts,
  PermitOutcome,
  TaskWatch,
} from "./breaker-set-types.ts";
export { defaultBreakerSettings, resolveBreakerSettings } from "./breaker-settings.ts";
export type { BreakerOverrides, BreakerSettings } from "./breaker-settings.ts";
export type { BreakerState, ForcedState, Forcing, Operator, RefusalReason } from "./cell-types.ts";
export { defaultGovernorSettings, Governor } from "./governor.ts";
export type { GovernorAnswer, GovernorOptions, GovernorSettings } from "./governor.ts";
export { parseKey } from "./parse-key.ts";
export type { ParsedKey, Tier } from "./parse-key.ts";
export { breakerOpenError, rateGovernedError } from "./refusal-errors.ts";
export type { WindowTotals } from "./ring-window.ts";
export { routeOutcome, toolOutcomeOfStatus } from "./route-outcome.ts";
export type { CallOutcome, ModelOutcome, Routed, ToolOutcome } from "./route-outcome.ts";
export type { TriggerName, Verdict } from "./trigger.ts";
export { SlidingLimit, type RateLimit } from "./sliding-limit.ts";
