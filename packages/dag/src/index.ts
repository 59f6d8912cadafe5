export type {
  CompiledDegrade,
  CompiledDependency,
  CompiledTask,
  CompiledWorkflow,
} from "./compiled-workflow.ts";
export type { RunCommand } from "./run-command.ts";
export type { RunInput, SpawnInput, TaskEvaluation } from "./run-input.ts";
export { openingHoldOf } from "./simplify.ts";
export { readsFrom } from "./stand-ins.ts";
export { decide, type Decided } from "./decide.ts";
export { evolve } from "./evolve.ts";
export { parseItemId } from "./item-id.ts";
export { ParkingLot } from "./parking/parking-lot.ts";
export { parkingsOf } from "./parking/parked-tasks.ts";
export type { BreakerWord, ParkedTask } from "./parking/parking-types.ts";
export { pendingCommands } from "./pending-commands.ts";
export { initialRun, type RunState, type TaskState } from "./run-state.ts";
export { taskSpec } from "./task-spec.ts";
export { summaryStatus, viewRun, type RunViewCore } from "./view-run.ts";
export { expressionLimits, type TaskReference } from "./expression.ts";
export { evaluateTemplate, hasExpression, referencesOf, type TemplateAnswer } from "./template.ts";
export { compileWorkflow, type CompileAnswer, type CompileOptions } from "./compile-workflow.ts";
export { validateInput } from "./validate-input.ts";
