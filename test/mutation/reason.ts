import type { Survivor } from "./mutation-result.ts";

/** Why some mutants of a package may live. */
export interface Reason {
  readonly package: string;
  /** For people; a sentence. */
  readonly reason: string;
  /** `file: line as the mutant makes it`, or the beginning of it up to a `…`. */
  readonly mutants: readonly string[];
}

export function isExcusedBy({ mutants }: Reason, { file, after }: Survivor): boolean {
  const text = `${file}: ${after}`;
  return mutants.some((mutant) =>
    mutant.endsWith("…") ? text.startsWith(mutant.slice(0, -1)) : text === mutant,
  );
}
