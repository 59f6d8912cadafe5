import { playSeeds, runTests, typeFaults } from "./check-tree.ts";
import { judgeTests, redTests } from "./judge-tests.ts";
import { judgeWorlds } from "./judge-worlds.ts";
import { mostSeeds } from "./plant.ts";
import type { Plant } from "./plant.ts";
import type { Verdict } from "./verdict.ts";

/** What a plant's finder says about a tree that holds it. */
export async function lookForPlant(root: string, plant: Plant): Promise<Verdict> {
  return plant.finder === "tests"
    ? judgeTests(await runTests(root, plant.tests), plant.rule)
    : judgeWorlds(await playSeeds(root, mostSeeds), mostSeeds);
}

/** What is red without any plant, each as a sentence: with that the finders' red means nothing. */
export async function redWithoutPlants(
  root: string,
  plants: readonly Plant[],
): Promise<readonly string[]> {
  const faults = await typeFaults(root);
  if (faults !== undefined) return [`The tree does not type-check: ${faults.split("\n")[0]}`];
  const tests = plants.flatMap((plant) => (plant.finder === "tests" ? plant.tests : []));
  const red =
    tests.length === 0 ? [] : redTests(await runTests(root, [...new Set(tests)].toSorted()));
  const hasWorlds = plants.some(({ finder }) => finder === "simulator");
  const met = hasWorlds ? await playSeeds(root, mostSeeds) : undefined;
  return [
    ...red.map((name) => `A finder is red without a plant: ${name}`),
    ...(met === undefined ? [] : [`The simulator breaks ${met.invariant} at seed ${met.seed}.`]),
  ];
}
