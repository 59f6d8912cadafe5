export { createFetch } from "./create-fetch.ts";
export type { FetchOptions, TransportFetch } from "./create-fetch.ts";
export type { TransportOptions } from "./transport-options.ts";
