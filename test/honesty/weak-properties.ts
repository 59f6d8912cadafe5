import { chainOf, entriesOf } from "./calls.ts";
import type { Call } from "./calls.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";
import type { Node } from "./walk.ts";

/** fast-check's default. */
const ordinaryRuns = 100;
const cutting = ["interruptAfterTimeLimit", "skipAllAfterTimeLimit"] as const;

/** Laws that are tried less often than the default, always on the same inputs, or only as long as there is time. */
export function weakProperties(file: SourceFile, call: Call): readonly Finding[] {
  if (chainOf(call)[0] !== "fc") return [];
  return call.arguments.flatMap((argument) => {
    const entries = entriesOf(argument);
    const found = (name: string): readonly Node[] => {
      const value = entries.get(name);
      return value === undefined ? [] : [value];
    };
    return [
      ...found("numRuns").flatMap((runs) => (isFew(runs) ? file.find("fewer runs", runs) : [])),
      ...[...found("seed"), ...found("path")].flatMap((value) => file.find("fixed seed", value)),
      ...cutting.flatMap(found).flatMap((value) => file.find("cut short", value)),
    ];
  });
}

/** What is not written down as a number may be any. */
function isFew(runs: Node): boolean {
  return runs.type !== "Literal" || typeof runs.value !== "number" || runs.value < ordinaryRuns;
}
