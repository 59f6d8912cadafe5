import type { RulePlant } from "../plant.ts";

const src = "packages/runner/src";
const tests = "packages/runner/test";

export const isolatePlants: readonly RulePlant[] = [
  {
    name: "killed-is-called-gone",
    finder: "tests",
    rule: "WD-15",
    file: `${src}/supervision/reclaim-whole.ts`,
    find: "  while (result.leftPids.length > 0 && clock.monotonicMs() < untilMs) {",
    replace: "  while (result.leftPids.length > 1e9 && clock.monotonicMs() < untilMs) {",
    why: "A task would be told as stopped while a process of it that sits in the kernel still runs.",
    tests: [`${tests}/reclaim-whole.test.ts`],
  },
  {
    name: "litter-is-handed-on",
    finder: "tests",
    rule: "X2",
    file: `${src}/isolates/isolate-pool.ts`,
    find: "      !isolate.hasLeftovers()\n",
    replace: "      !(isolate.hasLeftovers() && isolate.tasks < 0)\n",
    why: "A task would work beside the programs that its predecessor has left running.",
    tests: [`${tests}/isolate-pool.test.ts`],
  },
  {
    name: "memory-is-handed-on",
    finder: "tests",
    rule: "X5",
    file: `${src}/isolates/isolate-pool.ts`,
    find: "> this.#options.settings.memoryBytes / 2;",
    replace: "> this.#options.settings.memoryBytes * 2;",
    why: "A task would be ended for the memory that the tasks before it have kept.",
    tests: [`${tests}/isolate-pool.test.ts`],
  },
  {
    name: "floods-are-read-through",
    finder: "tests",
    rule: "X2",
    file: `${src}/supervision/read-gate.ts`,
    find: "    if (this.#messages !== messagesPerWindow) return;",
    replace: "    if (this.#messages !== -messagesPerWindow) return;",
    why: "One agent that talks without end would take the worker's loop from all its neighbours.",
    tests: [`${tests}/read-gate.test.ts`],
  },
];
