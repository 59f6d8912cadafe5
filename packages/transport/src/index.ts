export { createFetch } from "./create-fetch.ts";
export type { TransportFetch } from "./create-fetch.ts";
export type { TransportOptions } from "./transport-options.ts";
