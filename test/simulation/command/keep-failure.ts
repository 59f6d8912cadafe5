import { keepCase } from "../kept-cases.ts";
import { generateScenario } from "../scenario/generate-scenario.ts";
import { shrink } from "../shrink.ts";
import { uncaughtError } from "./play-seeds.ts";
import type { Failure } from "./tally.ts";

/** What would differ at each try, or end the process that tries, is not made smaller. */
const unshrinkable: ReadonlySet<string> = new Set(["determinism", uncaughtError]);

/** Makes the world of a failing seed small, keeps it as a case, and says in lines what is left of it. */
export async function keepFailure({ seed, invariant, message }: Failure): Promise<string> {
  const title = `seed ${seed} breaks ${invariant}: ${message}`;
  if (unshrinkable.has(invariant)) return title;
  const { scenario, outcome, plays } = await shrink(generateScenario(seed), invariant);
  if (outcome.breach === undefined) return `${title}\n  played again, it does not`;
  const found = outcome.breach.message;
  const file = keepCase({ name: `seed-${seed}`, found, scenario });
  const { faults, orders, runs, schedulers, workers } = scenario;
  return [
    title,
    `shrunken in ${plays} plays to ${runs.length} run(s), ${schedulers} scheduler(s), ${workers} worker(s); kept as test/simulation/cases/${file}`,
    ...[...faults, ...orders].map((part) => `  ${JSON.stringify(part)}`),
    `  ${found}`,
  ].join("\n");
}
