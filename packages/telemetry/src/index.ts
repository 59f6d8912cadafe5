export { createLogger } from "./create-logger.ts";
export type { LogDestination, LoggerOptions, LogLevel } from "./create-logger.ts";
export { createRedactor } from "./create-redactor.ts";
export type { Redactor } from "./create-redactor.ts";
export { logEvents } from "./log-events.ts";
export type { EventSource, LogEventsOptions } from "./log-events.ts";
export { countStopTimes, stopBucketsMs } from "./stop-times.ts";
export type { StopHistogram, StopTimes } from "./stop-times.ts";
