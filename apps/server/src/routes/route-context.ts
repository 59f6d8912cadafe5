import type { Logger } from "@bridle/ports";
import type { RouteName } from "@bridle/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ApiLimits, ApiOptions } from "../api-options.ts";
import type { Principal } from "../http/access.ts";
import type { RunWakes } from "../stream/run-wakes.ts";
import type { BurnKeeper } from "../views/burn-keeper.ts";
import type { BreakerViews } from "../views/fold-breakers.ts";
import type { RunViews } from "../views/run-views.ts";

/** What handlers share. */
export interface ApiContext extends Omit<ApiOptions, "limits"> {
  readonly limits: ApiLimits;
  readonly views: RunViews;
  readonly breakers: BreakerViews;
  readonly burn: BurnKeeper;
  readonly wakes: RunWakes;
  /** Aborted when the server begins to shut down. */
  readonly draining: AbortSignal;
}

/** One request, checked: its parts match the route's schemas and its key may do what it asks. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed body; undefined when there was none. */
  readonly body: unknown;
  readonly headers: FastifyRequest["headers"];
  readonly principal: Principal;
  readonly traceId: string;
  readonly log: Logger;
  readonly reply: FastifyReply;
}

/** Contract: resolves with the JSON answer, or with undefined when it has answered by itself through `reply`. */
type Handler = (request: ApiRequest, context: ApiContext) => Promise<unknown>;

export type Handlers = { readonly [Name in RouteName]: Handler };
