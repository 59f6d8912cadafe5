import {
  reduceLedger,
  selectCharged,
  selectEnvelope,
  selectEnvelopes,
  selectOpenHolds,
  selectOuter,
} from "@bridle/budget";
import { addAmounts, noAmounts } from "@bridle/protocol";
import type {
  Amounts,
  ReserveRefusal,
  ReserveRequest,
  RunSpending,
  Spending,
} from "@bridle/protocol";

import type { Ledger } from "../ledger.ts";
import { moveLedger } from "./memory-state.ts";
import type { MemoryState } from "./memory-state.ts";

/** `Ledger` on shared memory: the pure reducer of `@bridle/budget`, one per run. */
export function memoryLedger(state: MemoryState): Ledger {
  return {
    reserve: async (request) => {
      const run = state.runs.get(request.runId);
      return run ? moveLedger(state, run, { type: "reserve", ...request }) : noRun(request);
    },
    dispatch: async (spender, holdId) => {
      const run = state.runs.get(spender.runId);
      return run !== undefined && moveLedger(state, run, { type: "dispatch", ...spender, holdId });
    },
    settle: async (request) => {
      const run = state.runs.get(request.runId);
      return run ? moveLedger(state, run, { type: "settle", ...request }) : { end: "unknown_hold" };
    },
    release: async (spender, holdId, at) => {
      const run = state.runs.get(spender.runId);
      return run
        ? moveLedger(state, run, { type: "release", ...spender, holdId, at })
        : { end: "unknown_hold" };
    },
    renew: async (holdIds, at) => {
      for (const run of state.runs.values())
        reduceLedger(run.ledger, { type: "renew", holdIds, at });
    },
    expire: async (olderThan, at) => {
      let expired = 0;
      for (const run of state.runs.values()) {
        expired += moveLedger(state, run, { type: "expire", olderThan, at });
      }
      return expired;
    },
    close: async (runId, envelope, at) => {
      const run = state.runs.get(runId);
      if (run) moveLedger(state, run, { type: "close", envelope, at });
    },
    raise: async (runId, envelope, by, at) => {
      const run = state.runs.get(runId);
      return run && moveLedger(state, run, { type: "raise", envelope, by, at });
    },
    ...ledgerViews(state),
  };
}

function ledgerViews(
  state: MemoryState,
): Pick<Ledger, "spending" | "outer" | "envelopes" | "openHolds"> {
  return {
    spending: async (query) => spendingOf(state, query),
    outer: async (at) => {
      const ledgers = Array.from(state.runs.values(), ({ ledger }) => ledger);
      const scopes = [...state.outer.values()].toSorted((left, right) =>
        left.scope < right.scope ? -1 : 1,
      );
      return scopes.map((outer) => selectOuter(outer, ledgers, at));
    },
    envelopes: async (runId) => {
      const run = state.runs.get(runId);
      return run ? selectEnvelopes(run.ledger) : [];
    },
    openHolds: async (runId) => {
      const run = state.runs.get(runId);
      return run ? selectOpenHolds(run.ledger) : [];
    },
  };
}

function spendingOf(
  state: MemoryState,
  { since, by, limit }: Parameters<Ledger["spending"]>[0],
): Spending {
  const runs = [...state.runs].flatMap(([runId, { ledger }]): RunSpending[] => {
    const charged = selectCharged(ledger, since);
    const run = selectEnvelope(ledger, "run");
    if (run === undefined || isNothing(charged)) return [];
    return [{ runId, charged, settled: run.settled, reserved: run.reserved, limit: run.limit }];
  });
  const dearest = runs.toSorted(
    (left, right) => right.charged[by] - left.charged[by] || (left.runId < right.runId ? -1 : 1),
  );
  const total = runs.reduce((sum, { charged }) => addAmounts(sum, charged), noAmounts);
  return { runs: dearest.slice(0, limit), total };
}

function isNothing({ tokens, nanoUsd, calls }: Amounts): boolean {
  return tokens === 0 && nanoUsd === 0 && calls === 0;
}

function noRun({ amounts }: ReserveRequest): ReserveRefusal {
  return {
    admitted: false,
    refusal: "closed",
    envelope: "run",
    dimension: "none",
    requested: amounts,
    settled: noAmounts,
    reserved: noAmounts,
    limit: noAmounts,
  };
}
