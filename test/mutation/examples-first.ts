import { readFileSync } from "node:fs";

import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/**
 * Files with examples before files with properties. A run ends with the first test that fails, most mutants fail an
 * example, and a property costs a hundred of them. (Vitest itself begins with what takes longest.)
 */
export class ExamplesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number => {
      const source = readFileSync(moduleId, "utf8");
      return source.length + (source.includes('from "fast-check"') ? 1_000_000 : 0);
    };
    return files.toSorted((one, other) => cost(one) - cost(other));
  }
}
