import { copyOuter, initialOuter, refusesRun, restoreLedger, snapshotLedger } from "@bridle/budget";
import type { OuterState } from "@bridle/budget";
import { eventClasses, isTerminalRun } from "@bridle/protocol";
import type { OuterLimit } from "@bridle/protocol";

import type {
  CommitAnswer,
  DecisionCommit,
  NewRun,
  RunLog,
  StoredRun,
  SubmitAnswer,
} from "../run-log.ts";
import { rowOf } from "./memory-run-index.ts";
import { answerId, append, moveLedger, newRunRecord, taskOf, unfencedRun } from "./memory-state.ts";
import type { MemoryState, RunRecord } from "./memory-state.ts";
import { utf8Bytes } from "./utf8-bytes.ts";

/** `RunLog` on shared memory. */
export function memoryRunLog(state: MemoryState): RunLog {
  return {
    submit: async (run) => submit(state, run),
    load: async (runId) => {
      const run = state.runs.get(runId);
      return run && storedRun(run);
    },
    commit: async (commit) => commitDecisions(state, commit),
    journal: async (spender, events) => {
      const run = unfencedRun(state, spender);
      if (run === undefined) return false;
      append(state, run, events);
      return true;
    },
    read: async (runId, { afterSeq, limit, decisionsOnly = false }) => {
      const entries = state.runs.get(runId)?.log.slice(afterSeq) ?? [];
      const wanted = decisionsOnly
        ? entries.filter(({ type }) => eventClasses[type] === "decision")
        : entries;
      return wanted.slice(0, limit);
    },
    input: async (runId, taskId) => state.runs.get(runId)?.inputs.get(taskId),
    output: async (runId, taskId) => {
      const run = state.runs.get(runId);
      return taskId === "run" ? run?.output : run?.tasks.get(taskId)?.output;
    },
    outputs: async (runId, taskIds, maxBytes) => {
      const tasks = state.runs.get(runId)?.tasks;
      const found = taskIds.map((taskId) => tasks?.get(taskId)?.output);
      const bytes = found.reduce((sum, text) => sum + utf8Bytes(text ?? ""), 0);
      return bytes > maxBytes ? "too_large" : found;
    },
  };
}

function storedRun(run: RunRecord): StoredRun {
  return {
    ...rowOf(run),
    compiled: run.submitted.compiled,
    input: run.submitted.input,
    decisions: run.decisions,
    seq: run.log.length,
    snapshot: run.snapshot,
  };
}

function submit(state: MemoryState, run: NewRun): SubmitAnswer {
  const earlier = earlierSubmit(state, run);
  if (earlier) {
    const { runId, traceId } = earlier;
    const same = earlier.idempotency?.bodyHash === run.idempotency?.bodyHash;
    return same ? { outcome: "same", runId, traceId } : { outcome: "conflict", runId };
  }
  const above = (run.outer ?? []).map((limit) => outerOf(state, limit, run.at));
  const short = refusesRun(above, { limit: run.budget.limit, at: run.at });
  if (short) return { outcome: "day_spent", ...short };
  const record = newRunRecord(run, { order: ++state.counter, above });
  state.runs.set(run.runId, record);
  if (run.idempotency) state.idempotency.set(run.idempotency.key, run);
  append(state, record, [run.event]);
  record.decisions = 1;
  state.publish("inbox", run.runId);
  return { outcome: "created", runId: run.runId, traceId: run.traceId };
}

/** Its limit is the one that was told last. */
function outerOf(state: MemoryState, told: OuterLimit, at: number): OuterState {
  const outer = state.outer.get(told.scope) ?? initialOuter(told, at);
  outer.limit = told.limit;
  state.outer.set(told.scope, outer);
  return outer;
}

/** The submit that holds the idempotency key, or had the same run id: a repeated call whose answer was lost. */
function earlierSubmit(state: MemoryState, run: NewRun): NewRun | undefined {
  const holder = run.idempotency && state.idempotency.get(run.idempotency.key);
  if (holder?.idempotency && holder.idempotency.expiresAt > run.at) return holder;
  return state.runs.get(run.runId)?.submitted;
}

function commitDecisions(state: MemoryState, commit: DecisionCommit): CommitAnswer {
  const run = state.runs.get(commit.runId);
  if (run === undefined) return { committed: false, reason: "unknown_run" };
  const lease = state.leases.get(commit.lease.name);
  if (lease?.holder === undefined || lease.epoch !== commit.lease.epoch) {
    return { committed: false, reason: "lease" };
  }
  if (run.decisions !== commit.expectedDecisions || run.ended) {
    return { committed: false, reason: "version" };
  }
  if (!reserveOpenings(state, run, commit)) return { committed: false, reason: "opening_refused" };
  apply(state, run, commit);
  return { committed: true, seq: run.log.length, decisions: run.decisions };
}

/** False: one was refused, and everything is as before. */
function reserveOpenings(state: MemoryState, run: RunRecord, commit: DecisionCommit): boolean {
  const { openings = [], runId, at, envelopesOpened } = commit;
  if (openings.length === 0) return true;
  const [ledger, entries] = [snapshotLedger(run.ledger), run.log.length];
  const signals = [...state.outbox.signals];
  const outer = [...state.outer.values()].map(copyOuter);
  openEnvelopes(state, run, { envelopesOpened, at });
  const answers = openings.map((opening) => {
    const request = { ...opening, runId, attempt: 1, step: 0, kind: "ladder", at } as const;
    return moveLedger(state, run, { type: "reserve", ...request });
  });
  if (answers.every(({ admitted }) => admitted)) return true;
  for (const one of outer) Object.assign(state.outer.get(one.scope) ?? {}, one);
  run.ledger = restoreLedger(ledger, run.ledger.grant?.above);
  run.log.splice(entries);
  state.outbox.signals.splice(0, state.outbox.signals.length, ...signals);
  return false;
}

function apply(state: MemoryState, run: RunRecord, commit: DecisionCommit): void {
  for (const id of commit.consumed) state.inbox.delete(id);
  for (const { taskId, body } of commit.inputs) run.inputs.set(taskId, body);
  applyAnswers(run, commit);
  applyTimers(run, commit);
  applyEnvelopes(state, run, commit);
  for (const { taskId, attempt, reason } of commit.cancels) {
    taskOf(run, taskId).stops.set(attempt, reason);
  }
  append(state, run, commit.events);
  run.decisions += commit.events.length;
  run.updatedAt = commit.at;
  run.output = commit.output ?? run.output;
  if (commit.snapshot !== undefined) {
    run.snapshot = { decisions: run.decisions, seq: run.log.length, state: commit.snapshot };
  }
  if (commit.status !== undefined) run.status = commit.status;
  if (isTerminalRun(run.status)) end(run);
  if (run.ended || hasWords(commit)) state.publish("orders", commit.runId);
}

/** For workers. */
function hasWords({ cancels, answers = [] }: DecisionCommit): boolean {
  return cancels.length > 0 || answers.length > 0;
}

function applyAnswers(run: RunRecord, { answers = [] }: DecisionCommit): void {
  for (const { taskId, key, body } of answers) {
    const id = answerId(taskId, key);
    if (!run.answers.has(id)) run.answers.set(id, body);
  }
}

function applyTimers(run: RunRecord, { timersSet, timersCleared }: DecisionCommit): void {
  for (const key of timersCleared) run.timers.delete(key);
  for (const { key, at } of timersSet) run.timers.set(key, at);
}

function openEnvelopes(
  state: MemoryState,
  run: RunRecord,
  { envelopesOpened, at }: Pick<DecisionCommit, "envelopesOpened" | "at">,
): void {
  for (const { taskId, terms, carvedFrom: parent } of envelopesOpened) {
    const carvedAt = parent === undefined ? undefined : at;
    moveLedger(state, run, { type: "open", taskId, terms, parent, carvedAt });
  }
}

/** Before the decisions, so that `budget.closed` does not follow a `run.finished` of the same commit. */
function applyEnvelopes(state: MemoryState, run: RunRecord, commit: DecisionCommit): void {
  openEnvelopes(state, run, commit);
  const closed = new Set(commit.envelopesClosed);
  // Terminal states close the envelope whether the scheduler says so or not (BU-6).
  if (commit.status !== undefined && isTerminalRun(commit.status)) closed.add("run");
  for (const envelope of closed) {
    moveLedger(state, run, { type: "close", envelope, at: commit.at });
  }
}

function end(run: RunRecord): void {
  run.ended = true;
  run.timers.clear();
}
