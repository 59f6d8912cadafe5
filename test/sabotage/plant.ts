/**
 * A bug that somebody could write, as data: one edit of one file, and who must notice it.
 *
 * A plant of a rule is found by a test that carries the rule's id in its title, so a test that was emptied, weakened or narrowed
 * is noticed as well: its id still stands in the title, and finds nothing. A plant at an arrow of the task protocol is found by
 * the simulator.
 */
import type { Arrow } from "./arrows.ts";

export interface Edit {
  /** From the root of the repository, with slashes. */
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  /** Type-checks: what the compiler finds is not found by a test. */
  readonly replace: string;
}

interface Named extends Edit {
  /** kebab-case, unique. */
  readonly name: string;
  /** What it would do to somebody. */
  readonly why: string;
}

export interface RulePlant extends Named {
  readonly finder: "tests";
  /** As it stands in brackets in titles. */
  readonly rule: string;
  /** Test files that run from source: what is spawned from `dist` is not the planted code. */
  readonly tests: readonly string[];
}

export interface ArrowPlant extends Named {
  readonly finder: "simulator";
  readonly arrow: Arrow;
}

export type Plant = RulePlant | ArrowPlant;

/** Within which the simulator must meet it, from seed 1 on. */
export const mostSeeds = 1000;
