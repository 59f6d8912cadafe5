/**
 * A run's envelopes recomputed from nothing but its log (BU-4, BU-9, BU-11, BU-12, BU-22): every hold is kept, every sum is
 * taken anew. A task spends from its own envelope and from its run's.
 */
import { addAmounts, fromWireAmounts, noAmounts } from "@bridle/protocol";
import type { Amounts, LogEntry } from "@bridle/protocol";

/** `charged` once it has ended; nothing for one that was released. */
export type Hold = { readonly taskId: string; readonly amounts: Amounts; charged?: Amounts };
/** The highest limit each envelope ever had; none where a guard that only warns admits beyond it. */
export type Limits = ReadonlyMap<string, Amounts>;

const dimensions = ["tokens", "nanoUsd", "calls"] as const;
const total = (amounts: readonly Amounts[]): Amounts => amounts.reduce(addAmounts, noAmounts);
const exceeds = (amounts: Amounts, limit: Amounts): boolean =>
  dimensions.some((each) => amounts[each] > limit[each]);
const isAtLine = (settled: Amounts, limit: Amounts): boolean =>
  dimensions.some((each) => settled[each] > 0 && settled[each] >= limit[each] * 0.9);

const unless = (isRight: boolean, fault: string) => (isRight ? undefined : fault);

export function sumsOf(holds: ReadonlyMap<string, Hold>, envelope: string) {
  const own = [...holds.values()].filter(({ taskId }) => ["run", taskId].includes(envelope));
  const open = own.filter(({ charged }) => charged === undefined);
  const settled = total(own.flatMap(({ charged }) => charged ?? []));
  return { settled, reserved: total(open.map(({ amounts }) => amounts)) };
}

/** The holds as the log leaves them, and in words whatever in it does not follow from what came before. */
export function readLedger(log: readonly LogEntry[], limits: Limits) {
  const holds = new Map<string, Hold>();
  const faults = log.flatMap((entry) => {
    const fault = faultOf(holds, entry, limits);
    return fault === undefined ? [] : [`${entry.seq} ${entry.type}: ${fault}`];
  });
  const told = new Set(log.map((entry) => entry.type === "budget.exhausted" && entry.envelope));
  for (const [name, limit] of limits) {
    const isReached = isAtLine(sumsOf(holds, name).settled, limit);
    if (isReached && !told.has(name)) faults.push(`${name} did not trip`);
  }
  return { holds, faults };
}

function faultOf(holds: Map<string, Hold>, entry: LogEntry, limits: Limits): string | undefined {
  if (entry.type === "budget.exhausted") {
    const isReached = isAtLine(sumsOf(holds, entry.envelope).settled, fromWireAmounts(entry.limit));
    return unless(isReached, "settled is less than 90 %");
  }
  if (!("holdId" in entry)) return undefined;
  const hold = holds.get(entry.holdId);
  if (entry.type === "budget.reserved") {
    holds.set(entry.holdId, { taskId: entry.taskId, amounts: fromWireAmounts(entry.amounts) });
    return (
      unless(hold === undefined, "the hold was there before") ??
      overLimit(holds, entry.taskId, limits)
    );
  }
  if (hold === undefined) return "there is no such hold";
  const { amounts, charged } = hold;
  if (entry.type === "budget.overrun") {
    return unless(exceeds(charged ?? noAmounts, amounts), "it did not overrun");
  }
  hold.charged = entry.type === "budget.settled" ? fromWireAmounts(entry.actual) : noAmounts;
  return unless(charged === undefined, "the hold had ended before");
}

function overLimit(holds: Map<string, Hold>, taskId: string, limits: Limits): string | undefined {
  const over = ["run", taskId].find((name) => {
    const taken = total(Object.values(sumsOf(holds, name)));
    return exceeds(taken, limits.get(name) ?? taken);
  });
  return unless(over === undefined, `beyond the limit of ${over}`);
}
