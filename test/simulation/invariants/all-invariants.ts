import { attemptsAreFenced } from "./attempts-are-fenced.ts";
import { attemptsEndInHand } from "./attempts-end-in-hand.ts";
import { callsAreCharged } from "./calls-are-charged.ts";
import { callsAreLetOut } from "./calls-are-let-out.ts";
import { childrenEndFirst } from "./children-end-first.ts";
import { decisionsComeFirst } from "./decisions-come-first.ts";
import { effectsHappenOnce } from "./effects-happen-once.ts";
import { failingStepsCostTheirProduct } from "./failing-steps-cost-their-product.ts";
import type { Product } from "./failing-steps-cost-their-product.ts";
import { governorsCountCalls } from "./governors-count-calls.ts";
import { holdsEndOnce } from "./holds-end-once.ts";
import { ledgerAddsUp } from "./ledger-adds-up.ts";
import { livingHoldsLast } from "./living-holds-last.ts";
import { logsEndOnce } from "./logs-end-once.ts";
import { noRunIsPoisoned } from "./no-run-is-poisoned.ts";
import { nothingIsLeft } from "./nothing-is-left.ts";
import { nothingIsStuck } from "./nothing-is-stuck.ts";
import type { Invariant, Observation } from "./observation.ts";
import { oldHoldersAreTurnedAway } from "./old-holders-are-turned-away.ts";
import { parkedTasksHoldNothing } from "./parked-tasks-hold-nothing.ts";
import { releasesComeLast } from "./releases-come-last.ts";
import { retriesFollowThePolicy } from "./retries-follow-the-policy.ts";
import { serversWaitsAreKept } from "./servers-waits-are-kept.ts";
import { silentWorkersStop } from "./silent-workers-stop.ts";
import { tasksStartWhenAllowed } from "./tasks-start-when-allowed.ts";
import { whatIsStoppedIsClosed } from "./what-is-stopped-is-closed.ts";
export interface InvariantOptions extends Product {
  /** The store may forget what it acknowledged: what compares before with after cannot hold (ADR 0071). */
  readonly losesTail: boolean;
}

/** What holds over any history: the ledger's equations and the end. */
const always = {
  ledgerAddsUp,
  noRunIsPoisoned,
  silentWorkersStop,
  releasesComeLast,
  nothingIsStuck,
  nothingIsLeft,
};
/** What holds as long as the store remembers. */
const remembering = {
  holdsEndOnce,
  livingHoldsLast,
  callsAreLetOut,
  callsAreCharged,
  governorsCountCalls,
  serversWaitsAreKept,
  logsEndOnce,
  attemptsAreFenced,
  attemptsEndInHand,
  oldHoldersAreTurnedAway,
  decisionsComeFirst,
  tasksStartWhenAllowed,
  whatIsStoppedIsClosed,
  retriesFollowThePolicy,
  parkedTasksHoldNothing,
  effectsHappenOnce,
  childrenEndFirst,
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
