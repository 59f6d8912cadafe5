import { readFileSync } from "node:fs";

import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/**
 * Files with examples before files with properties. A run ends with the first test that fails, most mutants fail an
 * example, and a property costs a hundred of them. (Vitest itself begins with what takes longest.)
 *
 * Last come tests that import the package while they run: what a module computes while it loads would be taken for
 * something that only this test runs.
 */
export class ExamplesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification): number => {
      const source = readFileSync(moduleId, "utf8");
      const isProperty = source.includes('from "fast-check"');
      return source.length + (isProperty ? 1e6 : 0) + (/\bimport\(/.test(source) ? 1e7 : 0);
    };
    return files.toSorted((one, other) => cost(one) - cost(other));
  }
}
