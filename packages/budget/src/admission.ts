/**
 * The admission rule (BU-8, BU-9). Owns: which level refuses, by which dimension, and as what. Changes nothing.
 *
 * 1. Admitted when settled + reserved + r ≤ the admission line at every level, in every dimension.
 * 2. Of several refusals the one that waiting helps least is told (order of `refusalOrder`); among equals the level
 *    nearest the root.
 * 3. Who books without enforcing is refused only where nothing may be spent any more: fenced, closed.
 * 4. `never_fits` means that not even the end of every open hold would help: settled never falls.
 */
import type { RefusalKind, ReserveRefusal, ReserveRequest } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

import type { EnvelopeRecord, LedgerState } from "./ledger-state.ts";
import type { Dimension } from "./trip-line.ts";
import { admissionLine, dimensions } from "./trip-line.ts";

export interface Level {
  readonly name: string;
  readonly record: EnvelopeRecord;
}

const refusalOrder: readonly RefusalKind[] = [
  "fenced",
  "closed",
  "frozen",
  "tripped",
  "never_fits",
  "transient",
];

type Finding = { readonly refusal: RefusalKind; readonly dimension: Dimension | "none" };

/** From the run's envelope down to the task's own; undefined when the task has none. */
export function pathOf(state: LedgerState, taskId: string): readonly Level[] | undefined {
  const path: Level[] = [];
  for (let name: string | undefined = taskId; name !== undefined;) {
    const record = state.envelopes.get(name);
    if (record === undefined) return undefined;
    path.unshift({ name, record });
    name = record.parent;
  }
  return path;
}

export function isFenced(state: LedgerState, taskId: string, attempt: number): boolean {
  return (
    attempt < (state.fences.get(taskId) ?? 0) || attempt <= (state.endedAttempts.get(taskId) ?? 0)
  );
}

/** Undefined when the request is admitted. */
export function refusalOf(
  state: LedgerState,
  request: ReserveRequest,
  path: readonly Level[] | undefined,
): ReserveRefusal | undefined {
  const root = path?.[0];
  if (isFenced(state, request.taskId, request.attempt)) {
    return refusalAt(request, root, { refusal: "fenced", dimension: "none" });
  }
  if (path === undefined) {
    // An envelope that was never opened pays for nothing: a default here would be money nobody granted (B121).
    return refusalAt(request, undefined, { refusal: "closed", dimension: "none" });
  }
  let worst: { level: Level; finding: Finding } | undefined;
  for (const level of path) {
    const finding = findingAt(level.record, request, state.linePercent);
    if (finding === undefined) continue;
    if (worst === undefined || rank(finding) < rank(worst.finding)) worst = { level, finding };
  }
  return worst && refusalAt(request, worst.level, worst.finding);
}

function rank({ refusal }: Finding): number {
  return refusalOrder.indexOf(refusal);
}

function findingAt(
  record: EnvelopeRecord,
  { amounts, kind }: ReserveRequest,
  percent: number,
): Finding | undefined {
  if (record.closed) return { refusal: "closed", dimension: "none" };
  if (kind === "unenforced") return undefined;
  if (record.frozenBy.length > 0) return { refusal: "frozen", dimension: "none" };
  const mayUseCredit = kind === "ladder" && record.terms.onTrip === "ladder";
  if (record.trippedBy !== undefined && !mayUseCredit) {
    return { refusal: "tripped", dimension: record.trippedBy };
  }
  const shortOf = (taken: (dimension: Dimension) => number) =>
    dimensions.find(
      (dimension) =>
        amounts[dimension] > 0 &&
        taken(dimension) + amounts[dimension] > admissionLine(record.terms, dimension, percent),
    );
  const never = shortOf((dimension) => record.settled[dimension]);
  if (never !== undefined) return { refusal: "never_fits", dimension: never };
  const now = shortOf((dimension) => record.settled[dimension] + record.reserved[dimension]);
  return now && { refusal: "transient", dimension: now };
}

function refusalAt(
  request: ReserveRequest,
  level: Level | undefined,
  { refusal, dimension }: Finding,
): ReserveRefusal {
  return {
    admitted: false,
    refusal,
    envelope: level?.name ?? request.taskId,
    dimension,
    requested: request.amounts,
    settled: level?.record.settled ?? noAmounts,
    reserved: level?.record.reserved ?? noAmounts,
    limit: level?.record.terms.limit ?? noAmounts,
  };
}
