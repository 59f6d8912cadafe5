export { llmAgent, type LlmTaskInput } from "./builtin-llm-agent.ts";
export { createRunner } from "./create-runner.ts";
export type { Runner, RunnerOptions, RunnerState } from "./create-runner.ts";
export { reapLeftovers, type ReapReport } from "./isolates/reap-leftovers.ts";
export { isolateDefaults, type IsolateSettings } from "./isolates/isolate-settings.ts";
export { resolveRunnerSettings, runnerDefaults } from "./runner-settings.ts";
export type { RunnerSettings, RunnerSettingsInput } from "./runner-settings.ts";
export { mostAttempts } from "./spawn-depths.ts";
export { createLocalScanner, createScanner } from "./scanner/index.ts";
export type {
  BlockedLoopOptions,
  LocalScannerOptions,
  Scanner,
  ScannerKill,
  ScannerOptions,
  ScannerSignal,
  Watch,
  WatchOptions,
  WatchVerdict,
} from "./scanner/index.ts";
export type { AgentLine } from "./worker/worker-parts.ts";
