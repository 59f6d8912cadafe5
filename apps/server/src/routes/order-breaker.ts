import { breakerActions, breakerTiers, bridleError } from "@bridle/protocol";
import type { BreakerAction, BreakerOrder, FleetEvent } from "@bridle/protocol";

import type { ApiContext, ApiRequest } from "./route-context.ts";

const states = {
  open: "FORCED_OPEN",
  close: "FORCED_CLOSED",
  disable: "DISABLED",
  observe: "METRICS_ONLY",
} as const satisfies Record<Exclude<BreakerAction, "reset">, string>;

/** BR-12: the order stands in the fleet log, where every worker looks; those that start later find it, too. */
export async function orderBreaker(
  { params, body, principal }: ApiRequest,
  { store, clock }: ApiContext,
): Promise<BreakerOrder> {
  const action = actionOf(params["action"]);
  const { key, tier } = keyOf(params["key"]);
  // Parsed by the route's schema.
  const { reason, for: forMs } = body as { readonly reason: string; readonly for: number };
  const at = clock.wallMs();
  const who = { actor: principal.id, reason };
  if (action === "reset") {
    await store.fleet.append([{ type: "breaker.reset", at, key, tier, ...who }]);
    return { key };
  }
  const forced = { state: states[action], ...who, until: at + forMs };
  await store.fleet.append([{ type: "breaker.forced", at, key, tier, ...forced }]);
  return { key, forced };
}

function actionOf(text: string | undefined): BreakerAction {
  const action = breakerActions.find((known) => known === text);
  if (action !== undefined) return action;
  throw bridleError("route_not_found", {
    message: `A breaker knows ${breakerActions.join(", ")}, not "${text}".`,
  });
}

function keyOf(key = ""): Pick<Extract<FleetEvent, { type: "breaker.forced" }>, "key" | "tier"> {
  const [prefix, name = ""] = key.split(/:(.*)/s);
  const tier = breakerTiers.find((known) => known === prefix);
  if (tier !== undefined && name !== "" && key.length <= 300 && !key.includes("\0")) {
    return { key, tier };
  }
  throw bridleError("request_invalid", {
    message: `"${key.slice(0, 300)}" is not a breaker's key; expected tool:<name>, agent:<workflow>/<type> or provider:<provider>/<model>.`,
  });
}
