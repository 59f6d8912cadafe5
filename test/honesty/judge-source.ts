import { callsIn } from "./calls.ts";
import { emptyExpectations } from "./empty-expectations.ts";
import type { Finding } from "./finding.ts";
import { narrowedTests } from "./narrowed-tests.ts";
import { realTime, timedExpectations } from "./real-clocks.ts";
import { SourceFile } from "./source-file.ts";
import { swallowedExpectations } from "./swallowed-expectations.ts";
import { weakProperties } from "./weak-properties.ts";

/** Unit tests run on a simulated clock alone; what tests real processes must not wait for a time, but may tell stores of it. */
export type Surroundings = "unit" | "system" | "helper";

/** Everything in a test file that makes it say less than it seems to. Lint looks for the rest (`.oxlintrc.json`). */
export function judgeSource(
  name: string,
  text: string,
  surroundings: Surroundings,
): readonly Finding[] {
  const file = new SourceFile(name, text);
  const calls = callsIn(file.program);
  const found = [
    ...calls.flatMap((call) => narrowedTests(file, call)),
    ...calls.flatMap((call) => emptyExpectations(file, call)),
    ...calls.flatMap((call) => weakProperties(file, call)),
    ...swallowedExpectations(file),
    ...timedExpectations(file),
    ...(surroundings === "helper" ? [] : realTime(file, { waitsOnly: surroundings === "system" })),
  ];
  return found.toSorted((one, other) => one.line - other.line);
}
