import type { RulePlant } from "../plant.ts";

const src = "packages/budget/src";
const tests = "packages/budget/test";

export const budgetPlants: readonly RulePlant[] = [
  {
    name: "admission-forgets-what-is-reserved",
    finder: "tests",
    rule: "BU-22",
    file: `${src}/admission.ts`,
    find: "shortOf((dimension) => record.settled[dimension] + record.reserved[dimension]);",
    replace: "shortOf((dimension) => record.settled[dimension]);",
    why: "Parallel calls would spend the same money.",
    tests: [`${tests}/ledger-properties.test.ts`],
  },
  {
    name: "trip-is-told-again",
    finder: "tests",
    rule: "BU-9",
    file: `${src}/hold-endings.ts`,
    find: "if (record.trippedBy !== undefined || dimension === undefined) continue;",
    replace: "if (dimension === undefined) continue;",
    why: "Whoever is told of an exhausted budget would be told at every step that is still in flight.",
    tests: [`${tests}/envelope.test.ts`],
  },
  {
    name: "sent-call-is-free",
    finder: "tests",
    rule: "BU-12",
    file: `${src}/hold-endings.ts`,
    find: 'charge(state, hold, { actual: hold.amounts, basis: "unknown", at });',
    replace: 'charge(state, hold, { actual: noAmounts, basis: "unknown", at });',
    why: "Killed calls would cost nothing, and a loop of them could go on for ever.",
    tests: [`${tests}/hold.test.ts`],
  },
  {
    name: "second-settle-counts-again",
    finder: "tests",
    rule: "BU-11",
    file: `${src}/hold-endings.ts`,
    find: "  state.open.delete(holdId);\n  state.ended.set(",
    replace: "  state.ended.set(",
    why: "A settle that is sent twice because its answer was lost would be charged twice.",
    tests: [`${tests}/hold.test.ts`],
  },
  {
    name: "closed-envelope-still-pays",
    finder: "tests",
    rule: "BU-6",
    file: `${src}/admission.ts`,
    find: 'if (record.closed) return { refusal: "closed", dimension: "none" };',
    replace:
      'if (record.closed && kind === "ladder") return { refusal: "closed", dimension: "none" };',
    why: "A cancelled run would go on spending.",
    tests: [`${tests}/envelope.test.ts`, `${tests}/admission.test.ts`],
  },
  {
    name: "line-items-are-rounded-down",
    finder: "tests",
    rule: "BU-1",
    file: `${src}/price.ts`,
    find: "BigInt(nanoUsdPerMTok) + 999_999n) / 1_000_000n;",
    replace: "BigInt(nanoUsdPerMTok) + 0n) / 1_000_000n;",
    why: "Many small calls would cost more than the ledger says.",
    tests: [`${tests}/price.test.ts`],
  },
  {
    name: "board-grows-for-ever",
    finder: "tests",
    rule: "BB-1",
    file: `${src}/burn-board.ts`,
    find: "const keptSnapshots = 60;",
    replace: "const keptSnapshots = 60_000;",
    why: "A server that runs for months would remember every minute of them.",
    tests: [`${tests}/burn-board.test.ts`],
  },
  {
    name: "unknown-price-is-zero",
    finder: "tests",
    rule: "BU-2",
    file: `${src}/reservation-for.ts`,
    find: "if (nanoUsd === undefined) return undefined;",
    replace:
      "if (nanoUsd === undefined) return { amounts: { tokens: 0, nanoUsd: 0, calls: 1 }, maxOutputTokens, inputTokens };",
    why: "A new model would run outside every limit in money.",
    tests: [`${tests}/reservation.test.ts`],
  },
];
