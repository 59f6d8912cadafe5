import { z } from "zod";

import { alertListSchema } from "../alerts.ts";
import {
  breakerListSchema,
  breakerOrderBodySchema,
  breakerOrderSchema,
  burnBoardSchema,
  envelopeListSchema,
} from "../api.ts";
import { api } from "./route.ts";
import type { Route } from "./route.ts";

/** What the guards show, and what an operator may do to them. */
export const guardRoutes = {
  getBudgets: {
    method: "GET",
    path: `${api}/budgets/:runId`,
    summary: "Every envelope of a run: limit, settled and reserved amounts.",
    scope: "read",
    status: 200,
    answer: envelopeListSchema,
    errors: ["run_not_found"],
  },
  getBurn: {
    method: "GET",
    path: `${api}/burn`,
    summary:
      "The burn board: the ten runs that were charged most in the last minute, by money or by tokens, with how that has changed and when each will reach its limit at this pace; and the last five minutes.",
    scope: "read",
    query: z.strictObject({ by: z.enum(["money", "tokens"]).default("money") }),
    status: 200,
    answer: burnBoardSchema,
    errors: [],
  },
  listAlerts: {
    method: "GET",
    path: `${api}/alerts`,
    summary:
      "Alerts, newest first, with how each webhook's copy fares: pending with its next try, delivered, or dead. The store keeps the newest thousands; `pending` and `dead` count all of them.",
    scope: "read",
    query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) }),
    status: 200,
    answer: alertListSchema,
    errors: [],
  },
  listBreakers: {
    method: "GET",
    path: `${api}/breakers`,
    summary: "Circuit breakers that have opened, newest transition first.",
    scope: "read",
    status: 200,
    answer: breakerListSchema,
    errors: [],
  },
  orderBreaker: {
    method: "POST",
    path: `${api}/breakers/:key/:action`,
    summary:
      "Puts a hand on a breaker in every worker: `open` refuses all calls, `close` lets them go and judges nothing, `disable` takes it away, `observe` decides and tells but refuses nothing; each for a time. `reset` closes it and forgets. The key is one part of the path: write its slashes as %2F.",
    scope: "operate",
    body: breakerOrderBodySchema,
    status: 202,
    answer: breakerOrderSchema,
    errors: ["route_not_found"],
  },
} as const satisfies Record<string, Route>;
