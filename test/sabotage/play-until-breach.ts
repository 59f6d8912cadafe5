/**
 * `play-until-breach.ts <seeds>`: plays seeds from 1 on, each once, until an invariant breaks. Its last line is JSON: `{ "met": … }`
 * with the seed, or `{}`.
 */
import { generateScenario } from "../simulation/scenario/generate-scenario.ts";
import { simulate } from "../simulation/simulate.ts";

export interface Met {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
}

async function play(seeds: number): Promise<Met | undefined> {
  // Refusals are errors, and a stack costs more than the refusal.
  Error.stackTraceLimit = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one world at a time
    const { breach } = await simulate(generateScenario(seed));
    if (breach !== undefined) return { seed, ...breach };
  }
  return undefined;
}

const met = await play(Number(process.argv[2]));
process.stdout.write(`\n${JSON.stringify(met === undefined ? {} : { met })}\n`);
