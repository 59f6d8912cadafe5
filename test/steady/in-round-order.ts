import { fileURLToPath } from "node:url";

import { BaseSequencer } from "vitest/node";
import type { TestSpecification, UserWorkspaceConfig } from "vitest/node";

import type { Round } from "./round.ts";

class Reversed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => (one.moduleId < other.moduleId ? 1 : -1));
  }
}

type Ordering = Pick<NonNullable<UserWorkspaceConfig["test"]>, "runner" | "sequence">;

/**
 * Settings of vitest for a round. One that is reversed turns every pair of tests of a file around, so that it alone meets each
 * dependence between two of them; seeds meet those of three.
 */
export function inRoundOrder(round: Round): Ordering {
  if (round === "reversed") {
    const runner = fileURLToPath(new URL("reversed-runner.ts", import.meta.url));
    return { runner, sequence: { sequencer: Reversed } };
  }
  return { sequence: { shuffle: { files: true, tests: true }, seed: round.seed } };
}
