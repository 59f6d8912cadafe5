export type { CompiledDependency, CompiledTask, CompiledWorkflow } from "./compiled-workflow.ts";
export type { RunCommand } from "./run-command.ts";
export type { RunInput, TaskEvaluation } from "./run-input.ts";
