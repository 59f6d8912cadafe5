import type { AlertRecord, DeliveryRecord } from "@bridle/ports";
import { alertSchema } from "@bridle/protocol";
import type { AlertList } from "@bridle/protocol";

import type { ApiContext, ApiRequest } from "./route-context.ts";

/** E4: what was raised, and what became of it. */
export async function listAlerts({ query }: ApiRequest, { store }: ApiContext): Promise<AlertList> {
  // Parsed by the route's schema.
  const { alerts, pending, dead } = await store.outbox.list(query["limit"] as number);
  return { alerts: alerts.map(viewOf), pending, dead };
}

function viewOf({ body, deliveries }: AlertRecord): AlertList["alerts"][number] {
  return { ...alertSchema.parse(JSON.parse(body)), deliveries: deliveries.map(deliveryView) };
}

function deliveryView({ destination, status, attempts, nextAt, error }: DeliveryRecord) {
  const next = status === "pending" ? { nextAt } : {};
  return { webhook: destination, status, attempts, ...next, ...(error && { error }) };
}
