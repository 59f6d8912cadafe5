import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

import { conditions, unitTests } from "../../vitest.config.ts";
import { inRoundOrder } from "./in-round-order.ts";
import { parseRound, roundVariable } from "./round.ts";

/** The unit tests of the ordinary run, in the order of one round. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    projects: [
      {
        ssr: { resolve: { conditions } },
        test: { ...unitTests, ...inRoundOrder(parseRound(process.env[roundVariable])) },
      },
    ],
  },
});
