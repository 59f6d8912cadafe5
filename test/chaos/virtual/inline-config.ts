import { chaosConfig } from "@bridle/fake-agents/chaos";
import type { ChaosLimits, Scenario } from "@bridle/fake-agents/chaos";

import { checkConfig } from "../../../apps/host/src/config/check-config.ts";
import type { Config } from "../../../apps/host/src/config/check-config.ts";

export interface InlineConfigOptions {
  readonly scenarios: readonly Scenario[];
  readonly limits: ChaosLimits;
  readonly providerUrl: string;
  readonly canary: string;
}

/** The installation of a real round, checked as any configuration is; but its agents run in the worker's own loop. */
export function inlineConfig(options: InlineConfigOptions): Config {
  const config = checkConfig(chaosConfig(options), "The configuration");
  const agents = config.agents.map((agent) => ({
    ...agent,
    isolation: "inline" as const,
    trusted: true,
  }));
  return { ...config, agents };
}
