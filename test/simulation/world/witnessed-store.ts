import { selectEnvelope } from "@bridle/budget";
import type { Store } from "@bridle/ports";
import type { MemoryState, RunRecord } from "@bridle/ports/testing";
import type { Spender } from "@bridle/protocol";

import type { Witness } from "./witness.ts";

export interface WitnessedOptions {
  readonly store: Store;
  readonly state: MemoryState;
  readonly witness: Witness;
  /** Breakers that were open in the calling process, by its own events, when it asked to let this hold out. */
  readonly openWhenAsked: (holdId: string) => readonly string[];
}

/**
 * The same store, with every move seen at the moment it is made: the memory store does its work inside the call, so what
 * follows the call here comes before any other process can act.
 */
export function witnessedStore(options: WitnessedOptions): Store {
  return {
    ...options.store,
    runs: seenRuns(options),
    attempts: seenAttempts(options),
    ledger: seenLedger(options),
    inbox: seenInbox(options),
  };
}

function seenRuns({ store: { runs }, witness }: WitnessedOptions): Store["runs"] {
  return {
    ...allOf(runs),
    submit: async (run) => {
      const answering = runs.submit(run);
      witness.submitted(run.runId);
      return answering;
    },
    commit: async (commit) => {
      const answering = runs.commit(commit);
      witness.touched(commit.runId);
      return answering;
    },
    journal: async (spender, events) => {
      const answering = runs.journal(spender, events);
      witness.touched(spender.runId);
      return answering;
    },
  };
}

function seenAttempts({
  store: { attempts },
  state,
  witness,
}: WitnessedOptions): Store["attempts"] {
  return {
    ...allOf(attempts),
    raiseFences: async (runId, fences) => {
      const answering = attempts.raiseFences(runId, fences);
      witness.touched(runId);
      for (const { taskId } of fences) {
        const fence = state.runs.get(runId)?.tasks.get(taskId)?.fence ?? 0;
        witness.see({ type: "fenced", runId, taskId, fence });
      }
      return answering;
    },
    claim: async (claim) => {
      const task = state.runs.get(claim.runId)?.tasks.get(claim.taskId);
      const before = task?.claims.get(claim.attempt);
      const answering = attempts.claim(claim);
      const isNew = task !== undefined && task.claims.get(claim.attempt) !== before;
      if (isNew) witness.see({ type: "claimed", ...whoOf(claim), fence: task.fence });
      witness.touched(claim.runId);
      return answering;
    },
    finish: async (finish) => {
      // Whatever it answers, a result counts when it reaches the inbox.
      const before = state.inbox.size;
      const answering = attempts.finish(finish);
      if (state.inbox.size !== before) {
        witness.see({ type: "finished", ...whoOf(finish), outputOf: attemptIn(finish.output) });
      }
      witness.touched(finish.runId);
      return answering;
    },
  };
}

function seenLedger(options: WitnessedOptions): Store["ledger"] {
  const { store, state, witness, openWhenAsked } = options;
  const { ledger } = store;
  return {
    ...allOf(ledger),
    reserve: async (request) => {
      const run = state.runs.get(request.runId);
      const isNew = run?.ledger.open.has(request.holdId) === false;
      const answering = ledger.reserve(request);
      if (run !== undefined && isNew && run.ledger.open.has(request.holdId)) {
        const path = pathOf(run, request);
        witness.see({ type: "admitted", runId: request.runId, path });
      }
      witness.touched(request.runId);
      return answering;
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
    expire: async (olderThan, at) => {
      const answering = ledger.expire(olderThan, at);
      witness.touchedAll();
      return answering;
    },
  };
}

function seenInbox({ store: { inbox }, witness }: WitnessedOptions): Store["inbox"] {
  return {
    ...allOf(inbox),
    put: async (runId, message, at) => {
      const answering = inbox.put(runId, message, at);
      witness.touched(runId);
      return answering;
    },
  };
}

/** Ports of the memory store are proxies over plain objects: their members are copied, not bound. */
function allOf<Port extends object>(port: Port): Port {
  const members = Object.keys(port).map((name) => [name, Reflect.get(port, name)] as const);
  return Object.fromEntries(members) as Port;
}

function pathOf({ ledger }: RunRecord, { taskId }: Spender) {
  return [selectEnvelope(ledger, "run"), selectEnvelope(ledger, taskId)].flatMap(
    (envelope) => envelope ?? [],
  );
}

/** Under which fence, and whether from something that is over, the call goes. */
function circumstancesOf(run: RunRecord, spender: Spender) {
  const path = ["run", spender.taskId].map((name) => run.ledger.envelopes.get(name));
  return {
    ...whoOf(spender),
    fence: run.tasks.get(spender.taskId)?.fence ?? 0,
    isClosed: run.ended || path.some((envelope) => envelope?.closed === true),
  };
}

function whoOf({ runId, taskId, attempt }: Spender) {
  return { runId, taskId, attempt };
}

/** Outputs of the cast say which attempt made them. */
function attemptIn(output: string | undefined): number | undefined {
  const value: unknown = output === undefined ? undefined : JSON.parse(output);
  if (typeof value !== "object" || value === null || !("attempt" in value)) return undefined;
  return typeof value.attempt === "number" ? value.attempt : undefined;
}
