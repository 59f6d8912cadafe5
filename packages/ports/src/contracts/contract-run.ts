import type {
  Amounts,
  DecisionEvent,
  EnvelopeState,
  EnvelopeTerms,
  JournalEvent,
  ReserveRequest,
  RunId,
  Spender,
  TaskId,
  TaskOutcome,
} from "@bridle/protocol";
import { asRunId, asTaskId, toWireAmounts } from "@bridle/protocol";

import type { CommitAnswer, DecisionCommit, NewRun } from "../run-log.ts";
import type { Store } from "../store.ts";

/** Wall ms that contracts date things with: later than any clock they meet, so nothing they set is due by accident. */
export const contractWallMs = 4_000_000_000_000;

/** Hostile but legal content: NUL, lone surrogates, quotes, astral characters. As JSON text it is plain ASCII where it must be. */
export const hostileText = `a\u0000b\uD800c\uDC00d"'\\ \u2028 🜂 é`;

let count = 0;

export function newRunId(): RunId {
  count += 1;
  return asRunId(`run_Contract${count}`);
}

export function tokens(amount: number): Amounts {
  return { tokens: amount, nanoUsd: 0, calls: 0 };
}

export function termsOf(limit: number, overrides: Partial<EnvelopeTerms> = {}): EnvelopeTerms {
  return {
    limit: { tokens: limit, nanoUsd: Number.MAX_SAFE_INTEGER, calls: Number.MAX_SAFE_INTEGER },
    creditMode: "credit",
    onTrip: "nothing",
    ...overrides,
  };
}

export function newRun(overrides: Partial<NewRun> = {}): NewRun {
  const runId = overrides.runId ?? newRunId();
  return {
    runId,
    traceId: `trace-${runId}`,
    workflow: "contract",
    version: 1,
    compiled: JSON.stringify({ compiled: runId }),
    input: JSON.stringify({ input: runId }),
    budget: termsOf(1000),
    event: {
      type: "run.submitted",
      at: contractWallMs,
      runId,
      workflow: "contract",
      version: 1,
      limit: toWireAmounts(tokens(1000)),
      taskCount: 1,
    },
    at: contractWallMs,
    ...overrides,
  };
}

export const completed: TaskOutcome = { status: "completed", outputBytes: 2, degraded: [] };

export const failed: TaskOutcome = {
  status: "failed",
  cause: "agent_error",
  message: "It threw.",
  code: "agent_failed",
  retryable: true,
  stop: {
    reason: "agent_error",
    guard: "none",
    rule: "agent",
    evidence: {},
    spent: { tokens: "0", nanoUsd: "0", calls: "0" },
    reserved: { tokens: "0", nanoUsd: "0", calls: "0" },
    limit: { tokens: "0", nanoUsd: "0", calls: "0" },
    resumable: false,
    hint: "Look at the agent.",
  },
};

/** Submits a run with these token limits and schedules its task `a`. */
export type ScheduledRun = (limit?: number, taskLimit?: number) => Promise<ContractRun>;

/** A submitted run and the scheduler's and worker's moves on it, each one call. */
export class ContractRun {
  readonly runId: RunId;
  readonly store: Store;
  readonly lease: { readonly name: string; readonly epoch: number };

  private constructor(store: Store, run: NewRun, lease: ContractRun["lease"]) {
    this.store = store;
    this.runId = run.runId;
    this.lease = lease;
  }

  static async submit(store: Store, overrides: Partial<NewRun> = {}): Promise<ContractRun> {
    const run = newRun(overrides);
    await store.runs.submit(run);
    const name = `partition:${run.runId}`;
    const lease = await store.leases.acquire(name, "scheduler", 600_000);
    if (lease === undefined) throw new Error(`The fresh lease ${name} was not given.`);
    return new ContractRun(store, run, { name, epoch: lease.epoch });
  }

  spender(task = "a", attempt = 1): Spender & { readonly taskId: TaskId } {
    return { runId: this.runId, taskId: asTaskId(task), attempt };
  }

  scheduled(task = "a", attempt = 1): DecisionEvent {
    return {
      type: "task.scheduled",
      at: contractWallMs,
      ...this.spender(task, attempt),
      agent: "x",
    };
  }

  finished(): DecisionEvent {
    const { runId } = this;
    const at = contractWallMs;
    return { type: "run.finished", at, runId, status: "COMPLETED", degraded: [], hasOutput: false };
  }

  waiting(on: string, attempt = 1): JournalEvent {
    return {
      type: "task.waiting",
      at: contractWallMs,
      ...this.spender("a", attempt),
      on,
      until: contractWallMs,
    };
  }

  /** Commits at the log's present version unless told otherwise. */
  async commit(overrides: Partial<DecisionCommit> = {}): Promise<CommitAnswer> {
    const stored = await this.store.runs.load(this.runId);
    return this.store.runs.commit({
      runId: this.runId,
      lease: this.lease,
      expectedDecisions: stored?.decisions ?? 0,
      events: [],
      consumed: [],
      inputs: [],
      timersSet: [],
      timersCleared: [],
      envelopesOpened: [],
      envelopesClosed: [],
      cancels: [],
      at: contractWallMs,
      ...overrides,
    });
  }

  /** Schedules an attempt as a scheduler does: decision, input and envelope, then the fence. */
  async schedule(task = "a", attempt = 1, terms = termsOf(1000)): Promise<void> {
    const taskId = asTaskId(task);
    await this.commit({
      events: [this.scheduled(task, attempt)],
      inputs: [{ taskId, body: JSON.stringify({ input: task }) }],
      envelopesOpened: [{ taskId, terms }],
    });
    await this.store.attempts.raiseFences(this.runId, [{ taskId, attempt }]);
  }

  claim(task = "a", attempt = 1, bootId = "boot-1") {
    return this.store.attempts.claim({
      ...this.spender(task, attempt),
      workerId: "worker-1",
      bootId,
      at: contractWallMs,
    });
  }

  finish(overrides: Partial<Parameters<Store["attempts"]["finish"]>[0]> = {}) {
    return this.store.attempts.finish({
      ...this.spender(),
      bootId: "boot-1",
      outcome: completed,
      output: JSON.stringify({ ok: true }),
      graceUsedMs: 0,
      at: contractWallMs,
      ...overrides,
    });
  }

  reserve(hold: string, amount: number, overrides: Partial<ReserveRequest> = {}) {
    return this.store.ledger.reserve({
      ...this.spender(),
      holdId: this.holdId(hold),
      step: 1,
      amounts: tokens(amount),
      kind: "normal",
      at: contractWallMs,
      ...overrides,
    });
  }

  dispatch(hold: string, spender: Spender = this.spender()) {
    return this.store.ledger.dispatch(spender, this.holdId(hold));
  }

  settle(hold: string, amount: number, spender: Spender = this.spender()) {
    return this.store.ledger.settle({
      ...spender,
      holdId: this.holdId(hold),
      actual: tokens(amount),
      basis: "usage",
      at: contractWallMs,
    });
  }

  release(hold: string, spender: Spender = this.spender()) {
    return this.store.ledger.release(spender, this.holdId(hold), contractWallMs);
  }

  /** Hold ids are unique over all runs. */
  holdId(hold: string): string {
    return `${this.runId}-${hold}`;
  }

  async envelope(name = "run"): Promise<EnvelopeState> {
    const envelopes = await this.store.ledger.envelopes(this.runId);
    const found = envelopes.find(({ envelope }) => envelope === name);
    if (found === undefined) throw new Error(`The run has no envelope ${name}.`);
    return found;
  }

  /** `[settled, reserved]` tokens of an envelope. */
  async figures(name = "run"): Promise<readonly [number, number]> {
    const { settled, reserved } = await this.envelope(name);
    return [settled.tokens, reserved.tokens];
  }

  async log() {
    return this.store.runs.read(this.runId, { afterSeq: 0, limit: 100_000 });
  }

  async logTypes(): Promise<readonly string[]> {
    return (await this.log()).map(({ type }) => type);
  }

  async inbox() {
    const entries = await this.store.inbox.read(100_000);
    return entries.filter(({ runId }) => runId === this.runId);
  }
}
