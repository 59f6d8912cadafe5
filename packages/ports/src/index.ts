export type * from "./attempts.ts";
export type * from "./expressions.ts";
export type * from "./feed.ts";
export type * from "./fleet-log.ts";
export { TransportError, transportFaults } from "./guarded-fetch.ts";
export type {
  GuardedFetch,
  GuardedRequest,
  TransportErrorOptions,
  TransportFault,
} from "./guarded-fetch.ts";
export type * from "./inbox.ts";
export type * from "./leases.ts";
export type * from "./ledger.ts";
export type * from "./logger.ts";
export type * from "./model-caller.ts";
export { failureClasses, WireError } from "./model-provider.ts";
export type {
  FailureClass,
  ModelTarget,
  WireFailure,
  WirePart,
  WireRequest,
} from "./model-provider.ts";
export type * from "./run-index.ts";
export type * from "./run-log.ts";
export type * from "./store.ts";
export type * from "./task-queue.ts";
export type * from "./timers.ts";
export type * from "./wire-admission.ts";
