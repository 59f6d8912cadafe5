/**
 * What an envelope has spent and holds, from the holds of a run's log and the tasks it says were spawned (BU-4, BU-22, LF-8): every sum
 * is taken anew. Tasks are named by their parents, so whose money a hold is of stands in its task's id.
 */
import { addAmounts, amountsBy, noAmounts, unlimited } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

/** `charged` once it has ended; nothing for one that was released. */
export type Hold = { readonly taskId: string; readonly amounts: Amounts; charged?: Amounts };
/** The highest limit each envelope ever had; none where a guard that only warns admits beyond it. */
export type Limits = ReadonlyMap<string, Amounts>;

export const total = (amounts: readonly Amounts[]): Amounts =>
  amounts.reduce(addAmounts, noAmounts);
const isIn = (taskId: string, envelope: string) =>
  envelope === "run" || taskId === envelope || taskId.startsWith(`${envelope}.`);
/** What the log says of money so far; `open`: spawned tasks whose envelopes are not closed. */
export interface Book {
  readonly holds: Map<string, Hold>;
  readonly open: Set<string>;
  readonly limits: Limits;
}

export function sumsOf({ holds, open, limits }: Book, envelope: string) {
  const under = (name: string) => [...holds.values()].filter(({ taskId }) => isIn(taskId, name));
  const settledIn = (name: string) => total(under(name).flatMap(({ charged }) => charged ?? []));
  const reservedIn = (name: string): Amounts => {
    const below = [...open].filter((id) => id !== name && isIn(id, name));
    const next = below.filter((id) => !below.some((other) => other !== id && isIn(id, other)));
    const own = under(name).filter(({ taskId }) => !next.some((id) => isIn(taskId, id)));
    const held = own.flatMap(({ charged, amounts }) => (charged === undefined ? amounts : []));
    return total([...held, ...next.map(asideFor)]);
  };
  const asideFor = (id: string): Amounts =>
    amountsBy((each) => {
      const { [each]: limit } = limits.get(id) ?? noAmounts;
      const reserved = reservedIn(id)[each];
      return limit === unlimited ? reserved : Math.max(reserved, limit - settledIn(id)[each]);
    });
  return { settled: settledIn(envelope), reserved: reservedIn(envelope) };
}
