import type { AnyAgent, BridleConfig } from "@bridle/agent";

import { worksLong } from "../agents/works-long.ts";
import type { ChaosLimits, Scenario } from "./scenario.ts";

const price = { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 };

/** As many of one agent as there are scenarios may be at work: nobody waits for a slot, and neighbours least. */
const slots = 64;

export interface ChaosConfigOptions {
  readonly scenarios: readonly Scenario[];
  readonly limits: ChaosLimits;
  readonly providerUrl: string;
  readonly canary: string;
}

/**
 * The installation that scenarios are played on: the limits are the user's, the cast and the providers are chaos's own. Each
 * scenario has a provider to itself, so that one's breaker is nobody else's. What bounds all runs together is left away: it would stop
 * the rounds, not the villains.
 */
export function chaosConfig({
  scenarios,
  limits,
  providerUrl,
  canary,
}: ChaosConfigOptions): BridleConfig {
  const provider = {
    kind: "openai-compatible",
    baseUrl: providerUrl,
    profiles: [{ apiKey: canary }],
  } as const;
  const agents = new Map<string, AnyAgent>(
    [...scenarios.map(({ agent }) => agent), worksLong as AnyAgent].map((agent) => [
      agent.name,
      { ...agent, concurrency: slots },
    ]),
  );
  return {
    providers: Object.fromEntries(scenarios.map(({ name }) => [providerOf(name), provider])),
    models: Object.fromEntries(
      scenarios.map((scenario) => [
        scenario.name,
        {
          chain: [`${providerOf(scenario.name)}/${scenario.name}`],
          price: scenario.price ?? price,
        },
      ]),
    ),
    agents: [...agents.values()],
    ...limits,
    guards: {
      ...limits.guards,
      governor: { ...limits.guards?.governor, runsPerMinute: 100_000 },
    },
    budget: { perDay: "unlimited" },
  };
}

function providerOf(scenario: string): string {
  return `for-${scenario}`;
}
