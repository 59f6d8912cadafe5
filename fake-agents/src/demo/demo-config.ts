import { defineConfig } from "@bridle/agent";
import type { BridleConfig, GuardsConfig } from "@bridle/agent";

import { budgetBlowOut, deadLoop, planner, reviewer, searcher, writer } from "../agents/index.ts";

const price = { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 };

/** The demo's installation around one fake provider. Guards are at their shipped defaults unless a test switches one off. */
export function demoConfig(providerUrl: string, guards: GuardsConfig = {}): BridleConfig {
  return defineConfig({
    providers: {
      fake: {
        kind: "openai-compatible",
        baseUrl: providerUrl,
        profiles: [{ apiKey: "not-a-secret" }],
      },
    },
    models: {
      smart: { chain: ["fake/smart"], price },
      small: { chain: ["fake/small"], price },
      greedy: { chain: ["fake/greedy"], price },
    },
    agents: [planner, searcher, reviewer, writer, deadLoop, budgetBlowOut],
    guards,
  });
}
