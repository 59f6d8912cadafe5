import type { Inbox, InboxEntry, RunLog, Store } from "@bridle/ports";
import type { MemoryState } from "@bridle/ports/testing";
import { jobId } from "@bridle/protocol";
import type { Spender } from "@bridle/protocol";

import type { ActorName } from "../scenario/scenario.ts";
import { allOf } from "./all-of.ts";
import type { HoldAges } from "./hold-ages.ts";
import { dueOfCommit, dueOfSpender } from "./overdue.ts";
import type { Witness } from "./witness.ts";
import { witnessedAttempts, witnessedSteps } from "./witnessed-attempts.ts";
import { witnessedLeases, witnessedLedger } from "./witnessed-ledger.ts";

export interface WitnessedOptions {
  readonly store: Store;
  readonly state: MemoryState;
  readonly witness: Witness;
  /** Breakers that were open in the calling process, by its own events, when it asked to let this hold out. */
  readonly openWhenAsked: (holdId: string) => readonly string[];
  /** A call of this step is at the provider. */
  readonly isOut: (call: Spender & { readonly step: number }) => boolean;
  /** Since when each lease has stood without a gap, in the store's monotonic ms. Shared by all processes. */
  readonly heldSince: Map<string, number>;
  /** Shared by all processes. */
  readonly holdAges: HoldAges;
  /** The process that calls. */
  readonly caller: ActorName;
}

/**
 * The same store, with every move seen at the moment it is made: the memory store does its work inside the call, so what
 * follows the call here comes before any other process can act.
 */
export function witnessedStore(options: WitnessedOptions): Store {
  return {
    ...options.store,
    runs: witnessedRuns(options),
    attempts: witnessedAttempts(options),
    steps: witnessedSteps(options),
    ledger: witnessedLedger(options),
    inbox: witnessedInbox(options),
    leases: witnessedLeases(options),
  };
}

function witnessedRuns({ store: { runs }, state, witness }: WitnessedOptions): RunLog {
  return {
    ...allOf(runs),
    submit: async (run) => {
      const answering = runs.submit(run);
      witness.submitted(run.runId);
      return answering;
    },
    commit: async (commit) => {
      const due = dueOfCommit(state, commit);
      const held = messagesOf(state, commit.consumed);
      const answering = runs.commit(commit);
      // Now: until the answer is here another commit, a late one, may have answered them.
      const dropped = droppedOf(state, held);
      witness.touched(commit.runId);
      const answer = await answering;
      const told = answer.committed ? "committed" : answer.reason;
      witness.see({ type: "answered", what: `a commit to ${commit.runId}`, due, answer: told });
      if (!answer.committed) seeDropped(witness, dropped);
      return answer;
    },
    journal: async (spender, events) => {
      const due = dueOfSpender(state, spender);
      const answering = runs.journal(spender, events);
      witness.touched(spender.runId);
      const answer = (await answering) ? "written" : "fenced";
      witness.see({ type: "answered", what: `a journal of ${jobId(spender)}`, due, answer });
      return answering;
    },
  };
}

function witnessedInbox({ store: { inbox }, state, witness }: WitnessedOptions): Inbox {
  return {
    ...allOf(inbox),
    put: async (runId, message, at) => {
      const answering = inbox.put(runId, message, at);
      const envelope = message.kind === "cancel" ? (message.taskId ?? "run") : undefined;
      const record = state.runs.get(runId)?.ledger.envelopes.get(envelope ?? "");
      if (envelope !== undefined && record !== undefined) {
        witness.see({ type: "ordered", runId, envelope, isClosed: record.closed });
      }
      witness.touched(runId);
      return answering;
    },
    discard: async (ids) => {
      const held = messagesOf(state, ids);
      const answering = inbox.discard(ids);
      seeDropped(witness, droppedOf(state, held));
      return answering;
    },
  };
}

function messagesOf({ inbox }: MemoryState, ids: readonly string[]): readonly InboxEntry[] {
  return ids.flatMap((id) => inbox.get(id) ?? []);
}

/** What has gone of these, although their runs go on. */
function droppedOf(state: MemoryState, held: readonly InboxEntry[]): readonly InboxEntry[] {
  return held.filter(
    ({ id, runId }) => state.runs.get(runId)?.ended === false && !state.inbox.has(id),
  );
}

function seeDropped(witness: Witness, dropped: readonly InboxEntry[]): void {
  for (const { runId, message } of dropped) {
    witness.see({ type: "dropped", runId, kind: message.kind });
  }
}
