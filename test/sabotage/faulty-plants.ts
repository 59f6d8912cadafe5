import { typeFaults } from "./check-tree.ts";
import type { Plant } from "./plant.ts";
import type { WorkingCopy } from "./working-copy.ts";

/**
 * What the compiler says against each plant, by name. Plants of different files are checked together, since the compiler looks at
 * everything anyway; one by one only where something was found.
 */
export async function faultyPlants(
  copy: WorkingCopy,
  plants: readonly Plant[],
): Promise<ReadonlyMap<string, string>> {
  const faults = new Map<string, string>();
  for (const group of groupsOf(plants)) {
    // oxlint-disable-next-line no-await-in-loop -- the copy holds one group at a time
    const together = await faultOf(copy, group);
    if (together === undefined) continue;
    for (const plant of group) {
      // oxlint-disable-next-line no-await-in-loop -- or one plant
      const fault = group.length === 1 ? together : await faultOf(copy, [plant]);
      if (fault !== undefined) faults.set(plant.name, fault);
    }
  }
  return faults;
}

/** No two plants of a group edit the same file. */
export function groupsOf(plants: readonly Plant[]): readonly (readonly Plant[])[] {
  const groups: Plant[][] = [];
  for (const plant of plants) {
    const group = groups.find((others) => others.every(({ file }) => file !== plant.file));
    if (group === undefined) groups.push([plant]);
    else group.push(plant);
  }
  return groups;
}

async function faultOf(copy: WorkingCopy, plants: readonly Plant[]): Promise<string | undefined> {
  const restores = plants.map((plant) => copy.plant(plant));
  try {
    return (await typeFaults(copy.root))?.split("\n")[0];
  } finally {
    for (const restore of restores) restore();
  }
}
