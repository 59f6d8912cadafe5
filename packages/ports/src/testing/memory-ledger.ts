import { reduceLedger, selectEnvelopes, selectOpenHolds } from "@bridle/budget";
import type { ReserveRefusal, ReserveRequest } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

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
    raise: async (runId, envelope, by) => {
      const run = state.runs.get(runId);
      return run && moveLedger(state, run, { type: "raise", envelope, by });
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
