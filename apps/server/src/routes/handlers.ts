import { cancelRun, cancelTask, pauseRun, raiseBudget, resumeRun } from "./control-run.ts";
import { docs, openapi } from "./docs.ts";
import { healthz, readyz } from "./health.ts";
import { listAlerts } from "./list-alerts.ts";
import { orderBreaker } from "./order-breaker.ts";
import { getBudgets, getRun, listEvents, listRuns } from "./read-runs.ts";
import type { Handlers } from "./route-context.ts";
import { streamRunRoute } from "./stream-run.ts";
import { submitRun } from "./submit-run.ts";

/** One handler per route of the table; a route without one does not compile. */
export const handlers: Handlers = {
  submitRun,
  listRuns,
  getRun,
  listEvents,
  streamRun: streamRunRoute,
  cancelRun,
  cancelTask,
  pauseRun,
  resumeRun,
  raiseBudget,
  getBudgets,
  getBurn: async ({ query }, { burn }) =>
    burn.board(query["by"] === "tokens" ? "tokens" : "nanoUsd"),
  listAgents: async (_request, { agents }) => ({ agents }),
  listAlerts,
  listBreakers: async (_request, { breakers, clock }) => ({
    breakers: await breakers.list(clock.wallMs()),
  }),
  orderBreaker,
  healthz,
  readyz,
  openapi,
  docs,
};
