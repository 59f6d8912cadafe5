import type { LedgerInputOf, LedgerInputType } from "@bridle/budget";
import { asTaskId, unlimited } from "@bridle/protocol";
import fc from "fast-check";

import { tokens } from "./contract-fixtures.ts";
import type { ContractRun } from "./contract-run.ts";

/** The moves that ports can make; the others have no port yet. */
export type PlayedType = Exclude<LedgerInputType, "freeze" | "unfreeze" | "end-attempt" | "forget">;
/** Two tasks of the workflow, one that the first of them spawned, and one that that one did. */
type Task = "a" | "b" | "a.1" | "a.1.1";
/** What one hold of a generated history is; operations name it by its index, so a repeated reserve repeats itself. */
export interface HoldPlan {
  readonly task: Task;
  readonly attempt: 1 | 2;
  readonly amount: number;
  readonly kind: "normal" | "ladder" | "unenforced";
}

export type Operation =
  | { readonly op: "reserve" | "dispatch" | "release" | "renew"; readonly hold: number }
  | { readonly op: "settle"; readonly hold: number; readonly actual: number }
  | { readonly op: "fence"; readonly task: Task }
  | { readonly op: "close"; readonly envelope: Task | "run" }
  | { readonly op: "raise"; readonly envelope: Task | "run"; readonly by: number }
  /** Opens the envelope of a spawned task. */
  | { readonly op: "carve"; readonly task: "a.1" | "a.1.1"; readonly limit: number }
  | { readonly op: "expire" };

const holdCount = 8;
const hold = fc.integer({ min: 0, max: holdCount - 1 });
const task = fc.constantFrom<Task>("a", "a", "b", "a.1", "a.1", "a.1.1");
const envelope = fc.constantFrom<Task | "run">("a", "b", "a.1", "a.1.1", "run");

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constantFrom("reserve" as const, "reserve" as const, "dispatch" as const),
      hold,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constantFrom("release" as const, "renew" as const), hold }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant("settle" as const), hold, actual: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("fence" as const), task }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("close" as const), envelope }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("raise" as const), envelope, by: fc.nat(9) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant("carve" as const),
      task: fc.constantFrom("a.1" as const, "a.1.1" as const),
      limit: fc.constantFrom(0, 1, 3, 6, 9, 30, Number.MAX_SAFE_INTEGER),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("expire" as const) }) },
);

const plans = fc.array(
  fc.record({
    task,
    attempt: fc.constantFrom(1 as const, 2 as const),
    amount: fc.nat(9),
    kind: fc.constantFrom("normal" as const, "ladder" as const, "unenforced" as const),
  }),
  { minLength: holdCount, maxLength: holdCount },
);

/** Random moves on eight holds of four tasks. */
export const history = fc.record({
  plans,
  operations: fc.array(operation, { maxLength: 40 }),
  strict: fc.boolean(),
  /** Tokens of the day that the run spends from: short at once, short in its course, never short, without a limit. */
  day: fc.constantFrom(3, 8, 15, 2000, Number.MAX_SAFE_INTEGER),
});

/** The reducer's input for one generated move. */
export function inputOf(
  run: ContractRun,
  drawnPlans: readonly HoldPlan[],
  { step, at }: { readonly step: Operation; readonly at: number },
): LedgerInputOf<PlayedType> {
  if ("hold" in step) return holdInput(run, drawnPlans[step.hold], { step, at });
  switch (step.op) {
    case "fence":
      return { type: "fence", taskId: asTaskId(step.task), attempt: 2 };
    case "close":
      return { type: "close", envelope: nameOf(step.envelope), at };
    case "raise":
      return { type: "raise", envelope: nameOf(step.envelope), by: tokens(step.by), at };
    case "carve":
      return {
        type: "open",
        taskId: asTaskId(step.task),
        terms: { ...carvedTerms, limit: { ...tokens(step.limit), calls: unlimited } },
        parent: asTaskId(step.task === "a.1" ? "a" : "a.1"),
        carvedAt: at,
      };
    case "expire":
      return { type: "expire", olderThan: at - 5, at };
  }
}

const carvedTerms = { creditMode: "credit", onTrip: "ladder" } as const;

function nameOf(drawn: Task | "run") {
  return drawn === "run" ? drawn : asTaskId(drawn);
}

function holdInput(
  run: ContractRun,
  plan: HoldPlan | undefined,
  { step, at }: { readonly step: Extract<Operation, { hold: number }>; readonly at: number },
): LedgerInputOf<PlayedType> {
  if (plan === undefined) throw new Error(`No plan for hold ${step.hold}.`);
  const holdId = run.holdId(`h${step.hold}`);
  const spender = run.spender(plan.task, plan.attempt);
  const named = { ...spender, holdId };
  const amounts = { tokens: plan.amount, nanoUsd: 0, calls: 1 };
  switch (step.op) {
    case "reserve":
      return { type: "reserve", ...named, step: step.hold, amounts, kind: plan.kind, at };
    case "settle": {
      const actual = { tokens: step.actual, nanoUsd: 0, calls: 1 };
      return { type: "settle", ...named, actual, basis: "usage", at };
    }
    case "dispatch":
      return { type: "dispatch", ...named };
    case "release":
      return { type: "release", ...named, at };
    case "renew":
      return { type: "renew", holdIds: [holdId], at };
  }
}
