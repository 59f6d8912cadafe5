/** Agents of the world: one function under three names, with their own concurrency. */
export const agentNames = ["alpha", "beta", "gamma"] as const;

/** Tasks of one agent at once on one worker: 1, 3, 5. */
export function agentConcurrency(agent: string): number {
  return 1 + 2 * agentNames.findIndex((name) => name === agent);
}

/** What an agent does with its task; well-behaved ones more often, or no run would ever get far. */
export const plays = [
  "answers",
  "answers",
  "answers",
  "answers",
  "answers",
  "flaky",
  "flaky",
  "fails",
  "odd_items_fail",
  "hangs",
  "waits_for_abort",
  "stalls",
  "late",
  "crowds",
  "loops",
  "deaf",
  "pesters",
  "ticks",
  "journals",
  "journals",
  "journals_slowly",
  "waits",
  "leaves",
  "overspends",
  "tools",
  "tools",
] as const;

/**
 * `thinks`: one model call of minutes, in workflows with the patience for it. `kills`: takes its worker with it, now and then. `spawns`:
 * has others do it, and they may too.
 */
export type Play = (typeof plays)[number] | "thinks" | "kills" | "spawns";

/** What a spawned task does, by its parent's number and its own place. */
export const childPlays = [
  "answers",
  "flaky",
  "spawns",
  "journals",
  "answers",
  "fails",
  "waits_for_abort",
  "spawns",
  "crowds",
  "hangs",
] as const satisfies readonly Play[];

/** The input of every task of a generated workflow. */
export interface PlayInput {
  readonly play: Play;
  readonly calls: number;
  /** Attempts of `flaky` that fail; `kills` kills twice as often. */
  readonly failures: number;
  readonly n: number;
}
