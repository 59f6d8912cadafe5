/**
 * The admission rule (BU-8, BU-9). Owns: which level refuses, by which dimension, and as what. Changes nothing.
 *
 * 1. Admitted when settled + reserved + r ≤ the admission line at every level, in every dimension.
 * 2. Of several refusals the one that waiting helps least is told (order of `refusalOrder`); among equals the level
 *    nearest the root.
 * 3. Who books without enforcing is refused only where nothing may be spent any more: fenced, closed.
 * 4. What every level of the run can pay for, and its block cannot, is carved from above, or the level above refuses (BU-5): as
 *    `transient` when the end of the run's own open holds would do, else as `tripped`.
 * 5. A level is asked for what is not set aside there already: for a carved task only its own envelope pays, as far as its limit
 *    goes (LF-8), and where that does not pay it is the one that refuses. Whether anything may be spent is asked at every level.
 * 6. `never_fits` means that not even the end of every open hold would help: settled never falls.
 */
import type { Amounts, RefusalKind, ReserveRefusal, ReserveRequest } from "@bridle/protocol";
import { dimensions, noAmounts } from "@bridle/protocol";

import { plus } from "./amounts-math.ts";
import { needAbove } from "./carved.ts";
import type { Level } from "./carved.ts";
import type { EnvelopeRecord, LedgerState } from "./ledger-state.ts";
import { canGive, carve, excessOver } from "./outer-envelope.ts";
import type { OuterShortage } from "./outer-envelope.ts";
import type { Dimension } from "./trip-line.ts";
import { admissionLine } from "./trip-line.ts";

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

/** Undefined when the levels of the run admit the request. */
export function refusalOf(state: LedgerState, request: ReserveRequest): ReserveRefusal | undefined {
  const path = pathOf(state, request.taskId);
  const root = path?.[0];
  if (isFenced(state, request.taskId, request.attempt)) {
    return refusalAt(request, root, { refusal: "fenced", dimension: "none" });
  }
  if (path === undefined) {
    // An envelope that was never opened pays for nothing: a default here would be money nobody granted (B121).
    return refusalAt(request, undefined, { refusal: "closed", dimension: "none" });
  }
  const worst = worstAlong(path, request, state.linePercent);
  return worst && refusalAt(request, worst.level, worst.finding);
}

interface Shortage {
  readonly level: Level;
  readonly finding: Finding;
}

function worstAlong(
  path: readonly Level[],
  request: ReserveRequest,
  percent: number,
): Shortage | undefined {
  let worst: Shortage | undefined;
  let { amounts } = request;
  for (const level of path.toReversed()) {
    const asked = amounts === request.amounts ? request : { ...request, amounts };
    const finding = findingAt(level.record, asked, percent);
    if (finding === undefined) {
      amounts = needAbove(level, amounts);
      continue;
    }
    if (worst === undefined || rank(finding) <= rank(worst.finding)) worst = { level, finding };
    if (level.record.isCarved) amounts = noAmounts;
  }
  return worst;
}

/**
 * Takes from above what the run is short of for this request. Undefined when it now has enough; a refusal when there is too little
 * left, and nothing has changed. Contract: the run's own levels admit it.
 */
export function carveFor(state: LedgerState, request: ReserveRequest): ReserveRefusal | undefined {
  const { grant } = state;
  const run = state.envelopes.get("run");
  if (grant === undefined || run === undefined) return undefined;
  const { at } = request;
  // What was carved for a task is the run's already.
  const below = (pathOf(state, request.taskId) ?? []).slice(1);
  const amounts = below.reduceRight((need, level) => needAbove(level, need), request.amounts);
  const needed = plus(plus(run.settled, run.reserved), amounts);
  // A call that costs none of something needs none of it, however little the run has.
  const need = costsOnly(excessOver(needed, grant.given), amounts);
  if (dimensions.every((dimension) => need[dimension] === 0)) return undefined;
  const rest = excessOver(run.terms.limit, grant.given);
  const short = carve(grant, { need, rest, at });
  if (short === undefined || request.kind === "unenforced") return undefined;
  const later = costsOnly(excessOver(plus(run.settled, amounts), grant.given), amounts);
  return refusalAbove(request, short, canGive(grant, later, at) ? "transient" : "tripped");
}

/** Of what is short, that of which there is a cost. */
export function costsOnly(need: Amounts, { tokens, nanoUsd, calls }: Amounts): Amounts {
  return {
    tokens: tokens > 0 ? need.tokens : 0,
    nanoUsd: nanoUsd > 0 ? need.nanoUsd : 0,
    calls: calls > 0 ? need.calls : 0,
  };
}

function refusalAbove(
  request: ReserveRequest,
  { scope, dimension, given, limit }: OuterShortage,
  refusal: RefusalKind,
): ReserveRefusal {
  return {
    admitted: false,
    refusal,
    envelope: scope,
    dimension,
    requested: request.amounts,
    settled: given,
    reserved: noAmounts,
    limit,
  };
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
