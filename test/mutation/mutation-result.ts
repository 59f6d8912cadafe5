/** A mutant that no test found. */
export interface Survivor {
  /** Below `src`. */
  readonly file: string;
  /** The line it is in, and what the mutant makes of it. */
  readonly before: string;
  readonly after: string;
  /** False when no test runs it at all. */
  readonly isCovered: boolean;
}

/** What became of a package's mutants. Kept in `test/mutation/results`. */
export interface MutationResult {
  readonly package: string;
  /** `YYYY-MM-DD` of the run. */
  readonly date: string;
  readonly killed: number;
  readonly timedOut: number;
  /** In the order of files and lines. */
  readonly survivors: readonly Survivor[];
}

export function mutantsOf({ killed, timedOut, survivors }: MutationResult): number {
  return killed + timedOut + survivors.length;
}

/** Found mutants in percent. A timeout is a find: the mutant hung where the code did not. */
export function scoreOf(result: MutationResult): number {
  const mutants = mutantsOf(result);
  return mutants === 0 ? 100 : (100 * (result.killed + result.timedOut)) / mutants;
}
