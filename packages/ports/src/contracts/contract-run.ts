import type {
  DecisionEvent,
  EnvelopeState,
  JournalEvent,
  ReserveRequest,
  RunId,
  Spender,
  TaskId,
} from "@bridle/protocol";
import { asTaskId } from "@bridle/protocol";

import { nothingDecided } from "../nothing-decided.ts";
import type { CommitAnswer, DecisionCommit, NewRun } from "../run-log.ts";
import type { Store } from "../store.ts";
import { completed, contractWallMs, newRun, termsOf, tokens } from "./contract-fixtures.ts";

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
      ...nothingDecided,
      runId: this.runId,
      lease: this.lease,
      expectedDecisions: stored?.decisions ?? 0,
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
