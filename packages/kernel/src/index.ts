export { assertNever } from "./assert-never.ts";
export type { Brand } from "./brand.ts";
export type { Clock, TimerHandle } from "./clock.ts";
export { CodedError, type CodedErrorOptions, type ErrorRow } from "./coded-error.ts";
export type { Ids, Random } from "./random.ts";
export { RingBuffer } from "./ring-buffer.ts";
export { SingleFlight } from "./single-flight.ts";
export { sleep, type SleepOptions } from "./sleep.ts";
