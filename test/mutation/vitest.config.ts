import { defineConfig } from "vitest/config";

import { ExamplesFirst } from "./examples-first.ts";

/**
 * The tests of one pure package (`dir` names it), run in the sandbox of a mutation run. `@bridle/*` is looked for in the
 * sandbox: the links in node_modules lead to the files that are not mutated.
 */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@bridle\/([^/]+)$/, replacement: `${process.cwd()}/packages/$1/src/index.ts` },
      {
        find: /^@bridle\/([^/]+)\/(.+)$/,
        replacement: `${process.cwd()}/packages/$1/src/$2/index.ts`,
      },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    // Ten thousand tasks take seconds for each mutant, and find what five tasks find.
    exclude: ["test/**/large-*.test.ts"],
    isolate: false,
    pool: "threads",
    // Whoever waits for ever is caught by Stryker's clock; this one would turn a busy machine into failing tests.
    testTimeout: 300_000,
    sequence: { sequencer: ExamplesFirst },
    setupFiles: ["test/mutation/no-shrinking.ts"],
  },
});
