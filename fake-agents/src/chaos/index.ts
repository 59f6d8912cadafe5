export { allScenarios } from "./all-scenarios.ts";
export { checksOf, missedBounds } from "./checks.ts";
export { grownCounts, type ResourceCounts } from "./count-resources.ts";
export type { Evidence, LogEvent } from "./evidence.ts";
export { builtInLimits, guardsOff, impliedLimits } from "./implied-limits.ts";
export { playChaos } from "./play-chaos.ts";
export type { ChaosOptions, ScenarioState } from "./play-chaos.ts";
export type { ChaosReport, ScenarioResult } from "./report.ts";
export type { ChaosLimits, Check, ExpectedEnd, ImpliedLimits, Scenario } from "./scenario.ts";
