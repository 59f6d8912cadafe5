export type {
  Attempts,
  Claim,
  ClaimAnswer,
  Finish,
  FinishAnswer,
  OpenClaim,
  StepJournal,
  StopOrder,
} from "./attempts.ts";
export type { Bindings, EvaluationAnswer, Expressions } from "./expressions.ts";
export type { Feed, FeedChannel } from "./feed.ts";
export type { FleetLog } from "./fleet-log.ts";
export { fleetPages } from "./fleet-pages.ts";
export { TransportError, transportFaults } from "./guarded-fetch.ts";
export type {
  GuardedFetch,
  GuardedRequest,
  TransportErrorOptions,
  TransportFault,
} from "./guarded-fetch.ts";
export type { Inbox, InboxEntry, InboxMessage } from "./inbox.ts";
export type { Leases } from "./leases.ts";
export type { Ledger } from "./ledger.ts";
export type { LogFields, Logger } from "./logger.ts";
export { nothingDecided } from "./nothing-decided.ts";
export type {
  ModelCall,
  ModelCaller,
  ModelCallEvent,
  ModelCallResult,
  ModelPlan,
} from "./model-caller.ts";
export { failureClasses, WireError } from "./model-provider.ts";
export type {
  FailureClass,
  ModelTarget,
  WireFailure,
  WirePart,
  WireRequest,
} from "./model-provider.ts";
export type {
  AlertFold,
  AlertRecord,
  AlertSignal,
  DeliveryOutcome,
  DeliveryRecord,
  DueDelivery,
  NewAlert,
  Outbox,
} from "./outbox.ts";
export type { CacheBounds, CachedResult, ResultCache } from "./result-cache.ts";
export type { RunIndex, RunQuery, RunRow } from "./run-index.ts";
export type {
  CommitAnswer,
  DaySpent,
  DecisionCommit,
  NewRun,
  OpenedEnvelope,
  RunLog,
  StoredRun,
  SubmitAnswer,
  TimerEntry,
} from "./run-log.ts";
export type { Store } from "./store.ts";
export type { JobHandler, QueuedJob, QueueWorker, TaskQueue } from "./task-queue.ts";
export type { DueTimer, Timers } from "./timers.ts";
export type { TokenCounter } from "./token-counter.ts";
export type { WireAdmission, WireAsk, WireEnd, WirePermit } from "./wire-admission.ts";
