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
  "journals",
  "journals",
  "waits",
  "leaves",
  "overspends",
  "tools",
  "tools",
] as const;

export type Play = (typeof plays)[number];

/** The input of every task of a generated workflow. */
export interface PlayInput {
  readonly play: Play;
  readonly calls: number;
  /** Attempts of `flaky` that fail. */
  readonly failures: number;
  readonly n: number;
}
