import type { RunQuery } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";
import type { EnvelopeList, EventPage, RunPage, RunView } from "@bridle/protocol";

import { envelopeView } from "../views/run-views.ts";
import type { ApiContext, ApiRequest } from "./route-context.ts";

export async function listRuns({ query }: ApiRequest, { store }: ApiContext): Promise<RunPage> {
  // Parsed by the route's schema, whose members are those of a RunQuery.
  const { runs, next } = await store.index.list(query as unknown as RunQuery);
  return {
    runs: runs.map(({ version: _version, ...row }) => row),
    ...(next === undefined ? {} : { next }),
  };
}

export async function getRun({ params }: ApiRequest, { views }: ApiContext): Promise<RunView> {
  return views.view(params["runId"] ?? "");
}

export async function listEvents(
  { params, query }: ApiRequest,
  { store, views }: ApiContext,
): Promise<EventPage> {
  const { runId } = await views.view(params["runId"] ?? "");
  const { after, limit } = query as { after: number; limit: number };
  const events = await store.runs.read(asRunId(runId), { afterSeq: after, limit });
  const last = events.at(-1);
  return {
    events: [...events],
    ...(last === undefined || events.length < limit ? {} : { next: last.seq }),
  };
}

export async function getBudgets(
  { params }: ApiRequest,
  { store, views }: ApiContext,
): Promise<EnvelopeList> {
  const { runId } = await views.view(params["runId"] ?? "");
  const envelopes = await store.ledger.envelopes(asRunId(runId));
  return { envelopes: envelopes.map(envelopeView) };
}
