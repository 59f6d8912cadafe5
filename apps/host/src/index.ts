export { openBackends, type Backends, type BackendsOptions } from "./backends/open-backends.ts";
export { openInstallation } from "./compose/open-installation.ts";
export type { Hooks, Installation, InstallationOptions } from "./compose/open-installation.ts";
export type { PartName, RunningParts } from "./compose/start-parts.ts";
export { checkConfig, type Config } from "./config/check-config.ts";
export { readEnvironment, variables, type Environment } from "./config/environment.ts";
export { loadConfig, type LoadedConfig } from "./config/load-config.ts";
export { examine, type Examination, type ExamineOptions } from "./doctor/examine.ts";
export type { CheckedFinding, Finding, FindingLevel } from "./doctor/finding.ts";
