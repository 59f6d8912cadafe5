/** Runs contestants round by round (A B C A B C …), so that what else the machine does meets all of them alike. */
import { median } from "./bench-report.ts";

/** Does its share of one round and answers with that round's figure. */
export type Contestant = () => Promise<number>;

export interface InterleaveOptions {
  readonly rounds: number;
  /** Rounds before the measured ones: compilation, caches, connections. */
  readonly warmups: number;
}

/** The median of each contestant's rounds, by its name. */
export async function interleave<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  { rounds, warmups }: InterleaveOptions,
): Promise<Readonly<Record<Name, number>>> {
  // Safe: the keys of the record are its names.
  const entries = Object.entries(contestants) as [Name, Contestant][];
  const figures = new Map<Name, number[]>(entries.map(([name]) => [name, []]));
  for (let round = 0; round < warmups + rounds; round++) {
    for (const [name, contestant] of entries) {
      // oxlint-disable-next-line no-await-in-loop -- side by side they would measure each other
      const figure = await contestant();
      if (round >= warmups) figures.get(name)?.push(figure);
    }
  }
  const medians = entries.map(([name]) => [name, median(figures.get(name) ?? [])]);
  // Safe: one entry per name, made on the line above.
  return Object.fromEntries(medians) as Record<Name, number>;
}
