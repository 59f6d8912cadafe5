import type { FleetEvent } from "@bridle/protocol";

import type { Transition } from "./cell-types.ts";
import type { ParsedKey } from "./parse-key.ts";

export interface BreakerEventContext {
  readonly parsed: ParsedKey;
  /** Wall ms of the transition. */
  readonly at: number;
  readonly traceId: string | undefined;
  readonly bootId: string | undefined;
  /** False in warn mode and under METRICS_ONLY: then an opening is told as what would have been (GC-4). */
  readonly isEnforced: boolean;
}

/** What a transition is called on the bus; undefined for what nobody needs to hear of. */
export function breakerEvent(
  transition: Transition,
  context: BreakerEventContext,
): FleetEvent | undefined {
  const { parsed, at, traceId, bootId, isEnforced } = context;
  const base = {
    at,
    key: parsed.key,
    tier: parsed.tier,
    ...(traceId === undefined ? {} : { traceId }),
    ...(bootId === undefined ? {} : { bootId }),
  };
  if (transition.type === "opened") {
    const opening = {
      ...base,
      triggers: transition.hits.map(({ trigger }) => trigger),
      evidence: evidenceOf(transition),
    };
    if (!isEnforced) return { type: "would_trip", ...opening };
    const { cooldownMs, openCount } = transition;
    return { type: "breaker.open", ...opening, cooldownMs, openCount };
  }
  if (!isEnforced) return undefined;
  if (transition.type === "half_opened") return { type: "breaker.half_open", ...base };
  return { type: "breaker.close", ...base, ...transition.by };
}

function evidenceOf(
  transition: Extract<Transition, { readonly type: "opened" }>,
): Readonly<Record<string, unknown>> {
  const byTrigger = transition.hits.map(({ trigger, figures }) => [trigger, figures] as const);
  return { totals: transition.totals, ...Object.fromEntries(byTrigger) };
}
