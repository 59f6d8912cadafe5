// oxlint-disable max-lines -- an explicit list, as long as what it lists
export {
  type Alert,
  type AlertList,
  alertListSchema,
  type AlertName,
  alertNames,
  alertSchema,
  type AlertSeverity,
  alertSeverities,
  alertSources,
  type DeliveryStatus,
} from "./alerts.ts";
export {
  addAmounts,
  amountsBy,
  dimensions,
  type Amounts,
  fromWireAmounts,
  nanoUsdPerUsd,
  noAmounts,
  toWireAmounts,
  type WireAmounts,
  wireAmountsSchema,
} from "./amounts.ts";
export {
  type AgentList,
  agentListSchema,
  type BreakerList,
  type BreakerAction,
  breakerActions,
  type BreakerOrder,
  breakerOrderBodySchema,
  breakerOrderSchema,
  breakerListSchema,
  type BreakerView,
  breakerViewSchema,
  type BurnBoard,
  burnBoardSchema,
  type CancelBody,
  cancelBodySchema,
  type EnvelopeList,
  envelopeListSchema,
  type EnvelopeView,
  envelopeViewSchema,
  type EventPage,
  eventPageSchema,
  type Health,
  healthSchema,
  type RaiseBody,
  type RaiseRequest,
  raiseBodySchema,
  type Readiness,
  readinessSchema,
  type Problem,
  problemSchema,
  resumeBodySchema,
  type RunPage,
  runPageSchema,
  type RunSummary,
  runSummarySchema,
  type RunView,
  runViewSchema,
  type SubmitBody,
  submitBodySchema,
  type Submitted,
  submittedSchema,
  type TaskView,
  taskViewSchema,
} from "./api.ts";
export { type Beat, beatSchema } from "./beats.ts";
export { bridleError, type BridleErrorOptions } from "./bridle-error.ts";
export {
  type ConfigFile,
  configFileSchema,
  isLoopbackOrTls,
  webhookSecretPattern,
  configJsonSchema,
  type LimitName,
  livenessFaults,
  type LivenessSettings,
  serverConfigSchema,
} from "./config-file.ts";
export { defaultLimits, isolateLimits, livenessDefaults } from "./defaults.ts";
export { durationSchema, parseDuration } from "./duration.ts";
export {
  type BudgetSpec,
  defaultDayLimit,
  defaultRunLimit,
  installationDayLimit,
  keyDayLimit,
  type LimitsSpec,
  runEnvelopeTerms,
  statedLimits,
  taskEnvelopeTerms,
  unlimited,
} from "./envelope-terms.ts";
export { type EndCause, endCauseNames, endCauses, type EndRule } from "./end-causes.ts";
export { type ErrorCode, errorTable } from "./error-table.ts";
export {
  breakerTiers,
  ladderRungs,
  type LadderRung,
  type BridleEvent,
  type DecisionEvent,
  type EventClass,
  eventClasses,
  eventFields,
  forcedBreakerStates,
  type EventOf,
  type EventType,
  type FleetEvent,
  fleetEventSchema,
  type JournalEvent,
  type LogEntry,
  type RunEvent,
  runEventSchema,
  type TaskEnd,
  type TransientEvent,
} from "./events.ts";
export { type FailureClass, failureClasses } from "./failure-class.ts";
export {
  breakerRanges,
  budgetRanges,
  governorRanges,
  rangeFault,
  type SettingRange,
  watchdogRanges,
} from "./guard-ranges.ts";
export { openApiDocument } from "./http/open-api.ts";
export { commonErrors, type RouteName, routeTable } from "./http/route-table.ts";
export { type Route, type Scope, scopes } from "./http/route.ts";
export {
  asRunId,
  asTaskId,
  type RunId,
  runIdSchema,
  type TaskId,
  taskIdSchema,
  taskNamePattern,
} from "./ids.ts";
export {
  type FromIsolate,
  fromIsolateSchema,
  type IsolateRequest,
  type IsolateTask,
  type Payload,
  type ToIsolate,
  type WireFault,
} from "./isolate-messages.ts";
export { agentQueue, type Job, jobId, jobSchema } from "./jobs.ts";
export {
  type EnvelopeState,
  type EnvelopeTerms,
  type HoldEnd,
  type HoldState,
  type HoldStatus,
  type OuterEnvelopeState,
  type OuterLimit,
  type RefusalKind,
  type ReserveAnswer,
  type ReserveRefusal,
  type ReserveRequest,
  type RunSpending,
  type SettleRequest,
  type Spender,
  type Spending,
} from "./ledger-types.ts";
export {
  cacheUses,
  type Message,
  messageSchema,
  type ModelRequest,
  modelRequestSchema,
  type ModelResponse,
  modelResponseSchema,
  type TokenUsage,
} from "./llm-types.ts";
export { type TaskOutcome, taskOutcomeSchema } from "./outcome.ts";
export { installationScope, isOuterScope, keyScope, outerHint } from "./outer-scope.ts";
export { parseUsd } from "./parse-usd.ts";
export { modelPriceSchema, type PricesFile, pricesFileSchema } from "./price-schema.ts";
export { type ParseYaml, plainYaml, reasonUnreadable, refuseUnplainData } from "./plain-data.ts";
export { toMessages } from "./to-messages.ts";
export {
  initialRunClock,
  isRunActive,
  type LiveTask,
  reduceRunClock,
  type RunClock,
  type RunClockEvent,
  selectRunDeadline,
  waitLimitsMs,
} from "./run-clock.ts";
export {
  type ChildEnd,
  childEndKey,
  childEndSchema,
  defaultSpawnCaps,
  longestSpawnKey,
  type SpawnAnswer,
  spawnAnswerKey,
  spawnAnswerSchema,
  type SpawnCaps,
  type AskedTask,
  type SpawnedTask,
  spawnedTaskSchema,
  type SpawnRequest,
  type SpawnRequestInput,
  spawnRequestSchema,
} from "./spawn.ts";
export { isBelow, parseSpawnedId, spawnDepth, spawnedId, type SpawnedName } from "./spawned-ids.ts";
export { redacted, secretForms, secretMask } from "./secret-forms.ts";
export {
  backoffSpecSchema,
  breakerSpecSchema,
  type BreakerTerms,
  breakerTermsSchema,
  type DegradeSpec,
  degradeSpecSchema,
  dependencySpecSchema,
  envelopeSpecSchema,
  forEachSpecSchema,
  type JoinCondition,
  joinConditions,
  llmTaskSpecSchema,
  type RetrySpec,
  retrySpecSchema,
  runBudgetSpecSchema,
  spawnCapRanges,
  type SpecIssue,
  specIssueSchema,
  type TaskSpec,
  taskSpecSchema,
  timeoutSpecSchema,
  type WorkflowSpec,
  type WorkflowSpecInput,
  workflowSpecSchema,
} from "./spec.ts";
export {
  type FailedTaskStatus,
  failedTaskStatuses,
  isTerminalRun,
  isTerminalTask,
  type RunStatus,
  runStatuses,
  type TaskStatus,
  taskStatuses,
  type TerminalRunStatus,
  terminalRunStatuses,
  type TerminalTaskStatus,
  terminalTaskStatuses,
} from "./states.ts";
export { guardNames, type Stop, stopSchema } from "./stop.ts";
export { type TaskEnvelope, taskEnvelopeSchema } from "./task-envelope.ts";
