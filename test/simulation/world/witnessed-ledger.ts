import { selectEnvelope } from "@bridle/budget";
import type { Leases, Ledger } from "@bridle/ports";
import type { MemoryState, RunRecord } from "@bridle/ports/testing";
import { jobId } from "@bridle/protocol";
import type { HoldState, Spender } from "@bridle/protocol";

import { allOf } from "./all-of.ts";
import { dueOfSpender } from "./overdue.ts";
import { whoOf } from "./who-of.ts";
import type { WitnessedOptions } from "./witnessed-store.ts";

export function witnessedLedger(options: WitnessedOptions): Ledger {
  const { store, state, witness, openWhenAsked, holdAges, caller } = options;
  const { ledger } = store;
  return {
    ...allOf(ledger),
    reserve: async (request) => {
      const run = state.runs.get(request.runId);
      const isNew = run?.ledger.open.has(request.holdId) === false;
      // Asked again after a lost answer it is told what it was told before, also when the hold has ended meanwhile.
      const isAgain = !isNew || run.ledger.ended.has(request.holdId);
      const due = isAgain ? undefined : dueOfSpender(state, request);
      const answering = ledger.reserve(request);
      if (run !== undefined && isNew && run.ledger.open.has(request.holdId)) {
        const path = pathOf(run, request);
        holdAges.renewed([request.holdId], caller);
        witness.see({ type: "admitted", runId: request.runId, asked: request.amounts, path });
      }
      witness.touched(request.runId);
      const answer = await answering;
      const told = answer.admitted ? "admitted" : answer.refusal;
      const what = `a reservation of ${jobId(request)}`;
      witness.see({ type: "answered", what, due, answer: told });
      return answer;
    },
    dispatch: async (spender, holdId) => {
      const run = state.runs.get(spender.runId);
      const before = run?.ledger.open.get(holdId)?.status;
      const answering = ledger.dispatch(spender, holdId);
      const hold = run?.ledger.open.get(holdId);
      if (run !== undefined && hold?.status === "dispatched" && before === "held") {
        const circumstances = circumstancesOf(run, spender);
        const open = openWhenAsked(holdId);
        witness.see({ type: "dispatched", ...circumstances, step: hold.step, holdId, open });
      }
      return answering;
    },
    settle: async (request) => {
      const answering = ledger.settle(request);
      witness.touched(request.runId);
      return answering;
    },
    release: async (spender, holdId, at) => {
      const answering = ledger.release(spender, holdId, at);
      witness.touched(spender.runId);
      return answering;
    },
    renew: async (holdIds, at) => {
      holdAges.renewed(holdIds, caller);
      return ledger.renew(holdIds, at);
    },
    expire: async (olderThan, at) => {
      const open = openHolds(state);
      const answering = ledger.expire(olderThan, at);
      for (const hold of open) seeExpired(options, hold);
      witness.touchedAll();
      return answering;
    },
  };
}

/** Keeps since when each lease has stood without a gap. */
export function witnessedLeases({ store, state, heldSince }: WitnessedOptions): Leases {
  const { leases } = store;
  return {
    ...allOf(leases),
    acquire: async (name, holder, ttlMs) => {
      const stood = isStanding(state, name);
      const answering = leases.acquire(name, holder, ttlMs);
      if (!stood) heldSince.set(name, state.clock.monotonicMs());
      return answering;
    },
  };
}

function openHolds({ runs }: MemoryState): readonly HoldState[] {
  return [...runs.values()].flatMap(({ ledger }) => Array.from(ledger.open.values()));
}

/** Unless it is still open. */
function seeExpired(
  { state, witness, isOut, heldSince, holdAges, caller }: WitnessedOptions,
  hold: HoldState,
): void {
  const { holdId } = hold;
  const run = state.runs.get(hold.runId);
  if (run?.ledger.open.has(holdId) !== false) return;
  const bootId = run.tasks.get(hold.taskId)?.claims.get(hold.attempt)?.bootId ?? "";
  const lease = `worker:${bootId}`;
  const sinceMs = isStanding(state, lease) ? heldSince.get(lease) : undefined;
  const contactMs = sinceMs === undefined ? 0 : state.clock.monotonicMs() - sinceMs;
  witness.see({
    type: "expired",
    ...whoOf(hold),
    holdId,
    isOut: isOut(hold),
    ageMs: holdAges.ageMs(holdId),
    contactMs,
    skewMs: holdAges.skewMs(holdId, caller, { isAbandoned: sinceMs === undefined }),
  });
}

function isStanding({ leases, clock }: MemoryState, name: string): boolean {
  const lease = leases.get(name);
  return lease?.holder !== undefined && clock.monotonicMs() < lease.until;
}

/** Levels whose limit the admission is held to: what was carved for a task is set aside in those above it already. */
function pathOf({ ledger }: RunRecord, { taskId }: Spender) {
  const own = selectEnvelope(ledger, taskId);
  if (own?.carvedFrom !== undefined) return [own];
  return [selectEnvelope(ledger, "run"), own].flatMap((envelope) => envelope ?? []);
}

/** From the run down. */
export function levelsAbove(taskId: string): readonly string[] {
  const names = taskId.split(".");
  return ["run", ...names.map((_, index) => names.slice(0, index + 1).join("."))];
}

/** Under which fence, and whether from something that is over, the call goes. */
function circumstancesOf(run: RunRecord, spender: Spender) {
  const path = levelsAbove(spender.taskId).map((name) => run.ledger.envelopes.get(name));
  return {
    ...whoOf(spender),
    fence: run.tasks.get(spender.taskId)?.fence ?? 0,
    isClosed: run.ended || path.some((envelope) => envelope?.closed === true),
  };
}
