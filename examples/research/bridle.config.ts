import { defineConfig, env } from "@bridle/agent";

import { planner, searcher, writer } from "./agents.ts";

export default defineConfig({
  providers: {
    main: {
      kind: "openai-compatible",
      // The fake provider of this repository, or any API that speaks like OpenAI's.
      baseUrl: process.env["MODEL_URL"] ?? "http://127.0.0.1:4010/v1",
      profiles: [{ apiKey: env("MODEL_API_KEY") }],
    },
  },
  models: {
    smart: {
      chain: [`main/${process.env["MODEL_NAME"] ?? "smart"}`],
      // What your provider charges. A model without a price is refused.
      price: { inputUsdPerMillion: 2.5, outputUsdPerMillion: 10 },
    },
  },
  agents: [planner, searcher, writer],
});
