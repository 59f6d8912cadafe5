import { createBus } from "@bridle/bus";
import type { EventOf } from "@bridle/protocol";
import { expect, it } from "vitest";

import { raiseAlerts } from "../src/compose/raise-alerts.ts";

function alertsOf(event: Pick<EventOf<"breaker.open">, "key" | "tier" | "triggers">) {
  const bus = createBus({ onHandlerError: () => {} });
  const alerts: EventOf<"alert">[] = [];
  bus.on("alert", (alert) => void alerts.push(alert));
  const stop = raiseAlerts(bus);
  const opened = {
    type: "breaker.open",
    at: 7,
    evidence: {},
    cooldownMs: 30_000,
    openCount: 1,
  } as const;
  bus.emit({ ...opened, ...event });
  stop();
  bus.emit({ ...opened, ...event });
  return alerts;
}

it("[BR-17] [E2] an agent's breaker that opens is an alert, once, in words", () => {
  const event = { key: "agent:demo/planner", tier: "agent", triggers: ["failure_rate"] } as const;
  expect(alertsOf({ ...event, triggers: [...event.triggers] })).toEqual([
    {
      type: "alert",
      at: 7,
      severity: "warning",
      message:
        "The breaker agent:demo/planner has opened (failure_rate) and refuses calls for 30000 ms.",
    },
  ]);
});

it.each([
  ["burning is critical", "chain", ["burn_rate"], ["critical"]],
  ["a provider's opening is a warning", "provider", ["consecutive_failures"], ["warning"]],
  ["a tool's is told and no more", "tool", ["failure_rate"], ["info"]],
  ["what an operator did is none", "agent", ["forced"], []],
] as const)("[BR-17] [E2] %s", (_, tier, triggers, severities) => {
  const alerts = alertsOf({ key: `${tier}:x/y`, tier, triggers: [...triggers] });
  expect(alerts.map(({ severity }) => severity)).toEqual(severities);
});
