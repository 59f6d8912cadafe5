/**
 * A run's envelopes recomputed from nothing but its log (BU-4, BU-9, BU-11, BU-12, BU-22, LF-8): every hold is kept, every sum is taken
 * anew. A task spends from its own envelope and from its run's; one that was spawned from its own, which its parent has set aside.
 */
import { fromWireAmounts, noAmounts } from "@bridle/protocol";
import type { Amounts, LogEntry } from "@bridle/protocol";

import { sumsOf, total } from "./envelope-sums.ts";
import type { Book, Limits } from "./envelope-sums.ts";

const dimensions = ["tokens", "nanoUsd", "calls"] as const;
const exceeds = (amounts: Amounts, limit: Amounts): boolean =>
  dimensions.some((each) => amounts[each] > limit[each]);
const isAtLine = (settled: Amounts, limit: Amounts): boolean =>
  dimensions.some((each) => settled[each] > 0 && settled[each] >= limit[each] * 0.9);

const unless = (isRight: boolean, fault: string) => (isRight ? undefined : fault);

/** The book as the log leaves it, and in words whatever in the log does not follow from what came before. */
export function readLedger(log: readonly LogEntry[], limits: Limits) {
  const book: Book = { holds: new Map(), open: new Set(), limits };
  const faults = log.flatMap((entry) => {
    const fault = faultOf(book, entry);
    return fault === undefined ? [] : [`${entry.seq} ${entry.type}: ${fault}`];
  });
  const told = new Set(log.map((entry) => entry.type === "budget.exhausted" && entry.envelope));
  for (const [name, limit] of limits) {
    const isReached = isAtLine(sumsOf(book, name).settled, limit);
    if (isReached && !told.has(name)) faults.push(`${name} did not trip`);
  }
  return { book, faults };
}

function faultOf(book: Book, entry: LogEntry): string | undefined {
  const { holds } = book;
  noteTasks(book, entry);
  if (entry.type === "budget.exhausted") {
    const isReached = isAtLine(sumsOf(book, entry.envelope).settled, fromWireAmounts(entry.limit));
    return unless(isReached, "settled is less than 90 %");
  }
  if (!("holdId" in entry)) return undefined;
  const hold = holds.get(entry.holdId);
  if (entry.type === "budget.reserved") {
    holds.set(entry.holdId, { taskId: entry.taskId, amounts: fromWireAmounts(entry.amounts) });
    return unless(hold === undefined, "the hold was there before") ?? overLimit(book, entry.taskId);
  }
  if (hold === undefined) return "there is no such hold";
  const { amounts, charged } = hold;
  if (entry.type === "budget.overrun") {
    return unless(exceeds(charged ?? noAmounts, amounts), "it did not overrun");
  }
  hold.charged = entry.type === "budget.settled" ? fromWireAmounts(entry.actual) : noAmounts;
  return unless(charged === undefined, "the hold had ended before");
}

function noteTasks({ open }: Book, entry: LogEntry): void {
  if (entry.type === "task.spawned") open.add(entry.taskId);
  if (entry.type === "budget.closed") open.delete(entry.envelope);
}

function overLimit(book: Book, taskId: string): string | undefined {
  const levels = taskId.includes(".") ? [taskId] : ["run", taskId];
  const over = levels.find((name) => {
    const taken = total(Object.values(sumsOf(book, name)));
    return exceeds(taken, book.limits.get(name) ?? taken);
  });
  return unless(over === undefined, `beyond the limit of ${over}`);
}
