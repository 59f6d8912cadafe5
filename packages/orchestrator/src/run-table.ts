import type { Bus } from "@bridle/bus";
import type { RunState } from "@bridle/dag";
import { CodedError, type Clock } from "@bridle/kernel";
import type { DecisionCommit, Expressions, Store, TaskQueue } from "@bridle/ports";
import { isTerminalRun } from "@bridle/protocol";
import type { RunId, Spender } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import { failPoisonedRun } from "./fail-poisoned-run.ts";
import { loadRun } from "./load-run.ts";
import { RunActor } from "./run-actor.ts";
import { RunEvaluator } from "./run-evaluator.ts";
import type { SchedulerSettings } from "./scheduler-settings.ts";

/** Breakages in a row, none of them the store's, after which a run is declared unable to go on. */
const poisonedAfter = 5;
const firstReloadMs = 200;
const longestReloadMs = 5000;

export interface RunTableOptions {
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly expressions: Expressions;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly lease: DecisionCommit["lease"];
  readonly settings: Pick<SchedulerSettings, "snapshotEvery" | "logPage">;
  readonly onError: (error: unknown, runId?: RunId) => void;
  readonly onCommitted: (commit: DecisionCommit, state: RunState) => void;
  /** The run was loaded: what was known of it before is void. Contract: synchronous, keeps nothing of the state. */
  readonly onLoaded: (state: RunState) => void;
  /** The run ended or is unknown: whatever was routed to it has nobody to answer it. */
  readonly onGone: (runId: RunId) => void;
  /** The run broke and will be loaded again: whatever was routed to it must be routed again. */
  readonly onReloading: (runId: RunId) => void;
}

interface Row {
  actor: RunActor | undefined;
  /** Arrivals that wait for the run to be loaded. */
  waiting: Arrival[];
  failures: number;
  /** The answer of a commit may have been lost, and the commit not yet made. */
  isUncertain: boolean;
}

/** The live runs of one scheduler's term. Loads a run on first use, and again after it broke; keeps nothing of ended ones. */
export class RunTable {
  readonly #options: RunTableOptions;
  readonly #rows = new Map<RunId, Row>();
  readonly #loading = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: RunTableOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#rows.size;
  }

  has(runId: RunId): boolean {
    return this.#rows.has(runId);
  }

  /** Hands arrivals to the run, loading it when need be. An empty list only makes sure that the run is being worked on. */
  deliver(runId: RunId, arrivals: readonly Arrival[]): void {
    if (this.#stopped) return;
    const row = this.#rows.get(runId);
    if (row === undefined) {
      this.#rows.set(runId, {
        actor: undefined,
        waiting: [...arrivals],
        failures: 0,
        isUncertain: false,
      });
      this.#load(runId);
    } else if (row.actor === undefined) {
      row.waiting.push(...arrivals);
    } else {
      row.actor.push(arrivals);
    }
  }

  async redispatch(runId: RunId, attempts: readonly Spender[]): Promise<void> {
    await this.#rows.get(runId)?.actor?.redispatch(attempts);
  }

  /** Looks after commits whose answers were lost. To be called every few seconds. */
  confirm(): void {
    for (const { actor, isUncertain } of this.#rows.values()) if (isUncertain) actor?.confirm();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#loading);
    await Promise.all([...this.#rows.values()].map(async ({ actor }) => actor?.stop()));
    this.#rows.clear();
  }

  #load(runId: RunId): void {
    const loading = this.#tryLoad(runId)
      .catch((error: unknown) => this.#broken(runId, error))
      .finally(() => this.#loading.delete(loading));
    this.#loading.add(loading);
  }

  async #tryLoad(runId: RunId): Promise<void> {
    const { store } = this.#options;
    const stored = await store.runs.load(runId);
    if (stored === undefined || isTerminalRun(stored.status)) return this.#release(runId);
    const { workflow, state } = await loadRun(store.runs, stored, this.#options.settings);
    const evaluator = new RunEvaluator({
      runId,
      workflow,
      input: JSON.parse(stored.input),
      runs: store.runs,
      expressions: this.#options.expressions,
    });
    const actor = new RunActor({
      ...this.#options,
      runId,
      traceId: stored.traceId,
      state,
      decisions: stored.decisions,
      evaluator,
      onCommitted: (commit, after) => this.#committed(runId, commit, after),
      onEnded: () => this.#release(runId),
      onBroken: (error) => this.#broken(runId, error),
    });
    const row = this.#rows.get(runId);
    if (row === undefined || this.#stopped) return;
    await actor.recover();
    row.actor = actor;
    this.#options.onLoaded(state);
    const start: readonly Arrival[] =
      stored.status === "QUEUED"
        ? [{ input: { type: "start" }, at: this.#options.clock.wallMs() }]
        : [];
    actor.push([...start, ...row.waiting.splice(0)]);
  }

  #committed(runId: RunId, commit: DecisionCommit, state: RunState): void {
    const row = this.#rows.get(runId);
    if (row !== undefined) {
      row.failures = 0;
      row.isUncertain = false;
    }
    this.#options.onCommitted(commit, state);
  }

  #release(runId: RunId): void {
    this.#rows.delete(runId);
    this.#options.onGone(runId);
  }

  #broken(runId: RunId, error: unknown): void {
    const row = this.#rows.get(runId);
    if (row === undefined || this.#stopped) return;
    row.actor = undefined;
    row.waiting = [];
    // A store that is away says nothing about the run, and may have taken a commit, or take it yet.
    if (CodedError.is(error) && error.retryable) row.isUncertain = true;
    else row.failures += 1;
    this.#options.onError(error, runId);
    this.#options.onReloading(runId);
    const delayMs = Math.min(firstReloadMs * 2 ** row.failures, longestReloadMs);
    this.#options.clock.setTimer(delayMs, () => this.#reload(runId, row, error));
  }

  #reload(runId: RunId, row: Row, error: unknown): void {
    if (this.#stopped || this.#rows.get(runId) !== row) return;
    if (row.failures < poisonedAfter) return this.#load(runId);
    const { store, lease, clock } = this.#options;
    const failing = failPoisonedRun({ store, runId, lease, at: clock.wallMs(), error })
      .then(() => this.#release(runId))
      .catch((next: unknown) => this.#broken(runId, next))
      .finally(() => this.#loading.delete(failing));
    this.#loading.add(failing);
  }
}
