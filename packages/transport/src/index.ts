export { createFetch } from "./create-fetch.ts";
export type { TransportFetch } from "./create-fetch.ts";
export { createGuardedFetch } from "./create-guarded-fetch.ts";
export type { DropInFetch } from "./create-guarded-fetch.ts";
export type { TransportOptions } from "./settings.ts";
export { TransportFailure, transportFailures } from "./transport-failure.ts";
export type { TransportFailureCode } from "./transport-failure.ts";
export type { FetchOptions } from "./transport.ts";
