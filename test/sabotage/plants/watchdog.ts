import type { RulePlant } from "../plant.ts";

const src = "packages/watchdog/src";
const tests = "packages/watchdog/test";

export const watchdogPlants: readonly RulePlant[] = [
  {
    name: "two-repeats-are-a-stall",
    finder: "tests",
    rule: "WD-5",
    file: `${src}/due-clocks.ts`,
    find: "const stallRepeats = 3;",
    replace: "const stallRepeats = 2;",
    why: "A task that says twice where it is would be stopped for it.",
    tests: [`${tests}/stall.test.ts`],
  },
  {
    name: "going-back-is-progress",
    finder: "tests",
    rule: "WD-4",
    file: `${src}/judge-beat.ts`,
    find: 'if (step < maxStep) return "went_back";',
    replace: 'if (step < maxStep) return "progress";',
    why: "An agent that goes round between two steps would never be found stalled.",
    tests: [`${tests}/stall.test.ts`],
  },
  {
    name: "beat-moves-the-task-clock",
    finder: "tests",
    rule: "WD-2",
    file: `${src}/watch-table.ts`,
    find: '    if (outcome === "progress") Atomics.store(columns.stepArmedAt, slot, now);',
    replace:
      '    if (outcome === "progress") Atomics.store(columns.stepArmedAt, slot, now);\n    Atomics.store(columns.taskDueAt, slot, now + Atomics.load(columns.taskMs, slot));',
    why: "A task that beats would have no deadline.",
    tests: [`${tests}/clocks.test.ts`],
  },
  {
    name: "verdict-at-first-sight",
    finder: "tests",
    rule: "WD-11",
    file: `${src}/suspicions.ts`,
    find: "suspect.seen.set(kind, { dueAt, phase, scan: this.#scan, isReported: false });\n      return false;",
    replace:
      "suspect.seen.set(kind, { dueAt, phase, scan: this.#scan, isReported: false });\n      return true;",
    why: "A step that ends a moment after its bound would be killed for it.",
    tests: [`${tests}/clocks.test.ts`],
  },
  {
    name: "grace-is-enforced",
    finder: "tests",
    rule: "WD-10",
    file: `${src}/verdict-scan.ts`,
    find: 'Atomics.load(columns.graceUntil, slot)) ? "enforced" : "grace";',
    replace: 'Atomics.load(columns.graceUntil, slot)) ? "enforced" : "enforced";',
    why: "A slow start would be taken for a stall.",
    tests: [`${tests}/grace-and-mode.test.ts`],
  },
  {
    name: "suspended-machine-kills",
    finder: "tests",
    rule: "WD-12",
    file: `${src}/verdict-scan.ts`,
    find: "addShift(columns, gapMs - periodMs);",
    replace: "addShift(columns, 0 * (gapMs - periodMs));",
    why: "A laptop that was closed for the night would find all its tasks dead in the morning.",
    tests: [`${tests}/clocks.test.ts`],
  },
  {
    name: "kill-without-asking",
    finder: "tests",
    rule: "WD-13",
    file: `${src}/kill-ladder.ts`,
    find: "const killAt = now + config.cancelMs;",
    replace: "const killAt = now + 0 * config.cancelMs;",
    why: "No agent would get the five seconds in which it can put its things in order.",
    tests: [`${tests}/kill-ladder.test.ts`],
  },
];
