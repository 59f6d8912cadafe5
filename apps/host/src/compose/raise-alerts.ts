import type { Bus } from "@bridle/bus";
import type { EventOf } from "@bridle/protocol";

/**
 * Turns what a person should hear of at once into `alert` (BR-17): a breaker of an agent or a provider that opens, a breaker that
 * burning opened. Returns the unsubscriber. Contract: only emits.
 */
export function raiseAlerts(bus: Pick<Bus, "on" | "emit">): () => void {
  return bus.on("breaker.open", (event) => {
    const severity = severityOf(event);
    if (severity === undefined) return;
    const { at, key, triggers, cooldownMs, traceId } = event;
    const message = `The breaker ${key} has opened (${triggers.join(", ")}) and refuses calls for ${cooldownMs} ms.`;
    const traced = traceId === undefined ? {} : { traceId };
    bus.emit({ type: "alert", at, severity, message, ...traced });
  });
}

/** A tool's opening is data for its agents, who decide; what a person forced needs no alert. */
function severityOf({
  tier,
  triggers,
}: EventOf<"breaker.open">): EventOf<"alert">["severity"] | undefined {
  if (triggers.includes("forced")) return undefined;
  if (tier === "tool") return "info";
  return triggers.some((trigger) => trigger.startsWith("burn")) ? "critical" : "warning";
}
