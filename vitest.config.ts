import { defineConfig } from "vitest/config";

const conditions = ["@bridle/source"];

export default defineConfig({
  test: {
    projects: [
      {
        ssr: { resolve: { conditions } },
        test: {
          name: "unit",
          sequence: { groupOrder: 0 },
          include: ["packages/*/test/**/*.test.ts"],
          isolate: false,
          pool: "threads",
        },
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
          // Most of these wait for processes, timers and sockets: three at a time keep two cores busy, not overloaded.
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
