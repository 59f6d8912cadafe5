import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";
import type { UserWorkspaceConfig } from "vitest/config";

export const conditions = ["@bridle/source"];

/** A test that expects nothing cannot fail; one that polls waits as long as a busy machine needs. */
const expect = { requireAssertions: true, poll: { timeout: 30_000 } };

/** A file that leaves a timer, a socket or a child behind fails. */
const setupFiles = [fileURLToPath(new URL("test/support/fail-on-leaks.ts", import.meta.url))];

/** `npm run steady` runs them in other orders. */
export const unitTests: NonNullable<UserWorkspaceConfig["test"]> = {
  name: "unit",
  include: ["packages/*/test/**/*.test.ts"],
  isolate: false,
  pool: "threads",
  // For what hangs, not for what is slow: a busy machine must not fail a test.
  testTimeout: 60_000,
  setupFiles,
  expect,
};

export default defineConfig({
  test: {
    // A test that was singled out narrows the suite to it; without this, only where `CI` is set would that fail.
    allowOnly: false,
    projects: [
      {
        ssr: { resolve: { conditions } },
        test: { ...unitTests, sequence: { groupOrder: 0 } },
      },
      {
        ssr: { resolve: { conditions } },
        test: {
          name: "system",
          sequence: { groupOrder: 1 },
          include: [
            "test/**/*.test.ts",
            "apps/*/test/**/*.test.ts",
            "fake-agents/test/**/*.test.ts",
          ],
          expect,
          // Most of these wait for processes, timers and sockets: three at a time keep two cores busy, not overloaded.
          maxWorkers: 3,
          // For what hangs: whole installations start in hooks, three files at a time.
          testTimeout: 120_000,
          hookTimeout: 240_000,
          setupFiles,
        },
      },
    ],
  },
});
