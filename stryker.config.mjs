/**
 * What every run of `npm run mutate` has in common; `test/mutation/main.ts` adds the package.
 */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner", "./test/mutation/warm-runner.mjs"],
  coverageAnalysis: "perTest",
  concurrency: 1,
  incremental: true,
  tempDirName: ".mutation/sandbox",
  // The sandbox holds what the tests of a pure package read, and nothing that starts a process.
  ignorePatterns: [
    "apps",
    "docs",
    "examples",
    "fake-agents",
    "scripts",
    // Above what is mutated.
    "packages/{agent,bus,client,expressions,llm-providers,orchestrator,queue-bullmq,runner}",
    "packages/{store-postgres,telemetry,transport}",
    "packages/ports/test",
    "test/**",
    "!test/mutation/*.ts",
    "**/dist",
    ".bench",
    ".bridle",
    ".mutation",
    ".turbo",
  ],
  // Vitest strips the types and checks none; the files are mutated as they are.
  disableTypeChecks: false,
  // Stryker rewrites references of a tsconfig with TypeScript's API, which version 7 no longer has. Nothing here needs it.
  tsconfigFile: "none",
  reporters: ["progress-append-only", "json", "html"],
  // An endless loop is caught by Stryker's count of hits; the clock is only for what waits, on a machine that may be busy.
  timeoutMS: 30_000,
};
