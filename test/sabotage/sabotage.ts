/**
 * Plants one bug after the other in a copy of the repository, and asks each one's finder.
 *
 * 1. A finder is green without a plant, or its red would mean nothing.
 * 2. A plant type-checks, and is found by a broken expectation or invariant: anything else is an error of the plant.
 * 3. Whatever happens with one plant, the next begins with the copy as it was.
 */
import { faultyPlants } from "./faulty-plants.ts";
import { lookForPlant, redWithoutPlants } from "./look.ts";
import type { Plant } from "./plant.ts";
import { timesFound } from "./stands-once.ts";
import type { Verdict } from "./verdict.ts";
import { WorkingCopy } from "./working-copy.ts";
import type { CopySource } from "./working-copy.ts";

export interface Finding {
  readonly plant: Plant;
  readonly verdict: Verdict;
  readonly seconds: number;
}

export interface Sabotage {
  /** Why nothing was planted. */
  readonly red: readonly string[];
  readonly findings: readonly Finding[];
}

export interface SabotageOptions extends CopySource {
  readonly plants: readonly Plant[];
  readonly tell: (line: string) => void;
}

export async function sabotage({ plants, tell, ...source }: SabotageOptions): Promise<Sabotage> {
  const copy = new WorkingCopy(source);
  const remove = (): void => copy.remove();
  // Also when it is interrupted half-way.
  process.once("exit", remove);
  try {
    const [red, seconds] = await timed(async () => redWithoutPlants(copy.root, plants));
    tell(`without a plant: ${red.length === 0 ? "green" : "red"} (${seconds.toFixed(1)} s)`);
    if (red.length > 0) return { red, findings: [] };
    const standing = plants.filter((plant) => timesFound(plant, copy.root) === 1);
    const faults = await faultyPlants(copy, standing);
    const findings: Finding[] = [];
    for (const plant of plants) {
      // oxlint-disable-next-line no-await-in-loop -- one copy holds one plant at a time
      const finding = await look(copy, plant, faults.get(plant.name));
      findings.push(finding);
      tell(lineOf(finding));
    }
    return { red, findings };
  } finally {
    process.off("exit", remove);
    remove();
  }
}

async function look(copy: WorkingCopy, plant: Plant, fault: string | undefined): Promise<Finding> {
  const [verdict, seconds] = await timed(async () =>
    fault === undefined
      ? lookOnce(copy, plant)
      : ({ outcome: "error", detail: `it does not type-check: ${fault}` } as const),
  );
  return { plant, verdict, seconds };
}

async function lookOnce(copy: WorkingCopy, plant: Plant): Promise<Verdict> {
  let restore: (() => void) | undefined;
  try {
    restore = copy.plant(plant);
    return await lookForPlant(copy.root, plant);
  } catch (error) {
    return { outcome: "error", detail: error instanceof Error ? error.message : String(error) };
  } finally {
    restore?.();
  }
}

function lineOf({ plant, verdict, seconds }: Finding): string {
  const what =
    verdict.outcome === "found"
      ? `found by ${verdict.by}`
      : `${verdict.outcome.toUpperCase()}: ${verdict.detail}`;
  return `${plant.name} (${seconds.toFixed(1)} s): ${what}`;
}

async function timed<Value>(work: () => Promise<Value>): Promise<readonly [Value, number]> {
  const startedMs = performance.now();
  const value = await work();
  return [value, (performance.now() - startedMs) / 1000];
}
