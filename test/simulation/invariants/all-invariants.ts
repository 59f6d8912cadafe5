import { attemptsAreFenced } from "./attempts-are-fenced.ts";
import { callsAreLetOut } from "./calls-are-let-out.ts";
import { effectsHappenOnce } from "./effects-happen-once.ts";
import { failingStepsCostTheirProduct } from "./failing-steps-cost-their-product.ts";
import type { Product } from "./failing-steps-cost-their-product.ts";
import { holdsEndOnce } from "./holds-end-once.ts";
import { ledgerAddsUp } from "./ledger-adds-up.ts";
import { logsEndOnce } from "./logs-end-once.ts";
import { noRunIsPoisoned } from "./no-run-is-poisoned.ts";
import { nothingIsLeft } from "./nothing-is-left.ts";
import { nothingIsStuck } from "./nothing-is-stuck.ts";
import type { Invariant, Observation } from "./observation.ts";
import { tasksStartWhenAllowed } from "./tasks-start-when-allowed.ts";

export interface InvariantOptions extends Product {
  /** The store may forget what it acknowledged: what compares before with after cannot hold (ADR 0071). */
  readonly losesTail: boolean;
}

/** What holds over any history: the ledger's equations and the end. */
const always = { ledgerAddsUp, noRunIsPoisoned, nothingIsStuck, nothingIsLeft };
/** What holds as long as the store remembers. */
const remembering = {
  holdsEndOnce,
  callsAreLetOut,
  logsEndOnce,
  attemptsAreFenced,
  tasksStartWhenAllowed,
  effectsHappenOnce,
};

/** A breach with another name is a crash of the product in a world. */
export const invariantNames: readonly string[] = [
  ...Object.keys(always),
  ...Object.keys(remembering),
  "failingStepsCostTheirProduct",
];

export interface Breach {
  readonly invariant: string;
  readonly message: string;
}

/** Every invariant of the architecture's section 7 that can be seen from outside, fed with one history. */
export function allInvariants(
  options: InvariantOptions,
): (seen: Observation) => Breach | undefined {
  const makers = { ...always, ...(options.losesTail ? {} : remembering) };
  const checks: [string, Invariant][] = Object.entries(makers).map(([name, make]) => [
    name,
    make(),
  ]);
  if (!options.losesTail) {
    checks.push(["failingStepsCostTheirProduct", failingStepsCostTheirProduct(options)]);
  }
  return (seen) => {
    for (const [invariant, check] of checks) {
      const message = check(seen);
      if (message !== undefined) return { invariant, message };
    }
    return undefined;
  };
}
