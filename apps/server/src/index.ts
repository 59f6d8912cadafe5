export type { ApiLimits, ApiOptions, GovernRun, PartState } from "./api-options.ts";
export { createApi, type Api } from "./create-api.ts";
export type { Authenticator, Principal } from "./http/access.ts";
export type { SitePolicy } from "./http/refuse-foreign-request.ts";
