import { defineConfig } from "@bridle/agent";

import { noop } from "./noop.ts";

/** As small as a user's first one, and in TypeScript as most are. */
export default defineConfig({ providers: {}, models: {}, agents: [noop] });
