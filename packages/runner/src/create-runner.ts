/**
 * The worker of a fleet: takes jobs, runs each under guard, stops what it must.
 *
 * 1. Work is taken only while the lease holds; when the fence falls every attempt is stopped (WD-17).
 * 2. Stopping drains first: no job is taken, what runs may end by itself; then it is stopped, cancel before force; the lease is
 *    renewed until the last attempt has finished (B175).
 * 3. After `stop` nothing of this worker is left: no process, timer, lease or subscription.
 */
import type { AnyAgent, EnvReference } from "@bridle/agent";
import { Governor } from "@bridle/breaker";
import type { BreakerSet } from "@bridle/breaker";
import { FactorBook } from "@bridle/budget";
import type { Bus } from "@bridle/bus";
import type { Clock, CodedError, Ids } from "@bridle/kernel";
import type { ModelCaller, QueueWorker, Store, TaskQueue } from "@bridle/ports";
import { agentQueue, bridleError } from "@bridle/protocol";

import { HoldKeeper } from "./admission/hold-keeper.ts";
import { ReserveQueue } from "./admission/reserve-queue.ts";
import { UnsettledCalls } from "./admission/unsettled-calls.ts";
import { llmAgent } from "./builtin-llm-agent.ts";
import { IsolateSources } from "./isolates/isolate-sources.ts";
import { reapLeftovers } from "./isolates/reap-leftovers.ts";
import { AnswerCache } from "./ladder/answer-cache.ts";
import { resolveRunnerSettings } from "./runner-settings.ts";
import type { RunnerSettingsInput } from "./runner-settings.ts";
import type { Scanner, ScannerOptions } from "./scanner/scanner.ts";
import { spawnDepths } from "./spawn-depths.ts";
import { CallTimeouts } from "./supervision/call-timeouts.ts";
import { within } from "./supervision/within.ts";
import { ActiveAttempts } from "./worker/active-attempts.ts";
import { ClaimSweeper } from "./worker/claim-sweeper.ts";
import { jobHandler } from "./worker/job-handler.ts";
import { OrderPoller } from "./worker/order-poller.ts";
import { WorkerLease } from "./worker/worker-lease.ts";
import type { AgentLine, WorkerParts } from "./worker/worker-parts.ts";

export interface RunnerOptions {
  readonly store: Store;
  readonly queue: TaskQueue;
  /** The built-in `llm` agent is added. */
  readonly agents: readonly AnyAgent[];
  readonly models: ModelCaller;
  readonly breakers: BreakerSet;
  /** `createScanner` with a thread of its own, or `createLocalScanner` in tests; the runner gives it the callbacks. */
  readonly scanner: (
    callbacks: Pick<ScannerOptions, "onVerdict" | "onKilled" | "onSignal">,
  ) => Scanner;
  readonly bus: Pick<Bus, "emit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly workerId: string;
  readonly bootId: string;
  readonly settings?: RunnerSettingsInput | undefined;
  /** Where started processes are recorded, to be reaped after a crash. Undefined: nothing is. */
  readonly stateFolder?: string | undefined;
  /** What isolates inherit from, through the allow-list: the app's `process.env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly resolveSecret: (reference: EnvReference) => Promise<string>;
  /** What agents log and print. Contract: never throws, never blocks. */
  readonly onLine: (line: AgentLine) => void;
  /**
   * Too many threads do not end: this process should be stopped in order and started anew (WD-13). Contract: called once at most;
   * never throws, never blocks. Undefined: it is only told, as `guard.degraded`.
   */
  readonly onRetire?: ((reason: string) => void) | undefined;
}

export interface RunnerState {
  readonly isLive: boolean;
  readonly isDraining: boolean;
  readonly active: number;
  readonly openCalls: number;
  /** Inline tasks that ignored their stop and are still somewhere in this process. */
  readonly abandoned: number;
  /** Threads that did not end when they were terminated and still run. */
  readonly stuckThreads: number;
}

export interface Runner {
  /** Rejects when the store does not answer; then nothing is running. */
  start(): Promise<void>;
  /** Takes no more work, lets what runs end for `graceMs`, then stops it. Resolves when nothing is left. */
  stop(graceMs: number): Promise<void>;
  readonly state: RunnerState;
}

export function createRunner(options: RunnerOptions): Runner {
  return new FleetRunner(options);
}

class FleetRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #active = new ActiveAttempts();
  readonly #parts: WorkerParts;
  readonly #lease: WorkerLease;
  readonly #orders: OrderPoller;
  readonly #sweeper: ClaimSweeper;
  readonly #sources: IsolateSources;
  readonly #queueWorkers: QueueWorker[] = [];
  #isDraining = false;

  constructor(options: RunnerOptions) {
    const { store, clock, bootId, workerId, stateFolder } = options;
    const settings = resolveRunnerSettings(options.settings);
    this.#options = options;
    this.#lease = new WorkerLease({
      leases: store.leases,
      clock,
      bootId,
      workerId,
      leaseMs: settings.workerLeaseMs,
      renewMs: settings.workerRenewMs,
      fenceMs: settings.selfFenceMs,
      onFenced: () => this.#fence(),
    });
    this.#orders = new OrderPoller({
      feed: store.feed,
      clock,
      everyMs: settings.pollMs,
      read: async () => (this.#active.size === 0 ? [] : store.attempts.stopOrders(bootId)),
      onOrder: (order) => this.#active.hearOrder(order),
    });
    this.#sources = new IsolateSources({
      ...options,
      stateFolder,
      settings: settings.isolates,
      onDegraded: (reason) => this.#degraded(reason),
      onRetire: (reason) => options.onRetire?.(reason),
    });
    this.#parts = this.#assemble(settings);
    this.#sweeper = new ClaimSweeper(this.#parts, this.#active);
  }

  get state(): RunnerState {
    return {
      isLive: this.#lease.isLive,
      isDraining: this.#isDraining,
      active: this.#active.size,
      openCalls: this.#parts.holds.open,
      abandoned: this.#sources.abandoned,
      stuckThreads: this.#sources.stuckThreads,
    };
  }

  async start(): Promise<void> {
    const { stateFolder, agents } = this.#options;
    if (stateFolder !== undefined) await reapLeftovers(stateFolder);
    await this.#lease.start();
    this.#orders.start();
    this.#sweeper.start();
    this.#announce("worker.started");
    const all = [...agents, llmAgent];
    const depths = spawnDepths(all);
    for (const agent of all) {
      // oxlint-disable-next-line no-await-in-loop -- a dozen agents, once
      await this.#work(agent, depths.get(agent.name) ?? [0]);
    }
  }

  async stop(graceMs: number): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    const { clock } = this.#options;
    const { cancelGraceMs } = this.#parts.settings;
    // The queue waits for the jobs in hand, which end here; its own bound comes after ours.
    const closing = Promise.all(
      this.#queueWorkers.map(async (worker) => worker.close(graceMs + 2 * cancelGraceMs)),
    );
    await within(clock, graceMs, this.#active.settled());
    const error = bridleError("shutting_down");
    this.#active.stopForGood({ cause: "handed_back", error, acceptsResult: true });
    await this.#active.settled();
    await closing;
    await this.#active.settled();
    await this.#closeParts();
  }

  async #closeParts(): Promise<void> {
    this.#orders.close();
    await this.#sweeper.close();
    await this.#parts.unsettled.close();
    await this.#sources.close();
    await this.#parts.scanner.close();
    await this.#lease.close();
    this.#sources.closeRecords();
    this.#announce("worker.stopped");
  }

  async #work(agent: AnyAgent, depths: readonly number[]): Promise<void> {
    const source = this.#sources.open(agent);
    const context = { worker: this.#parts, agent, source, active: this.#active };
    const { concurrency } = agent;
    const isDraining = (): boolean => this.#isDraining;
    for (const depth of depths) {
      const handler = jobHandler(context, { concurrency, isDraining });
      this.#queueWorkers.push(
        // oxlint-disable-next-line no-await-in-loop -- a few, once
        await this.#options.queue.work(agentQueue(agent.name, depth), { concurrency, handler }),
      );
    }
  }

  #assemble(settings: WorkerParts["settings"]): WorkerParts {
    const { store, models, breakers, bus, clock, ids, workerId, bootId } = this.#options;
    const { resolveSecret, onLine } = this.#options;
    const { ledger } = store;
    const holds = new HoldKeeper({ ledger, clock, everyMs: settings.holdRenewMs });
    return {
      store,
      agentNames: new Set([...this.#options.agents, llmAgent].map(({ name }) => name)),
      models,
      breakers,
      governor: new Governor({ clock, settings: settings.governor, mode: settings.governorMode }),
      scanner: this.#createScanner(),
      bus,
      clock,
      ids,
      workerId,
      bootId,
      settings,
      holds,
      unsettled: new UnsettledCalls({ ledger, clock, holds }),
      queue: new ReserveQueue(clock),
      timeouts: new CallTimeouts({ settings, bus, clock }),
      factors: new FactorBook({ allowFactorBelowOne: settings.allowFactorBelowOne }),
      answers: new AnswerCache({
        cache: store.cache,
        clock,
        maxAgeMs: settings.cacheMaxAgeMs,
        maxEntries: settings.cacheMaxEntries,
      }),
      refusesSteps: () => (this.#lease.isLive ? undefined : lostLease()),
      resolveSecret,
      onLine,
    };
  }

  #createScanner(): Scanner {
    const { bus, clock } = this.#options;
    return this.#options.scanner({
      onVerdict: (verdict) => this.#active.hearVerdict(verdict),
      // The attempt sees its isolate end and tells the kill with its time; nothing is left to do here.
      onKilled: () => {},
      onSignal: (signal) => {
        if (signal.type === "clock_gap") {
          const gapMs = Math.round(signal.gapMs);
          bus.emit({ type: "clock_gap", at: clock.wallMs(), gapMs });
        }
      },
    });
  }

  #fence(): void {
    this.#degraded("the store has not answered for the fence time; running tasks are stopped");
    this.#active.stopAll({ cause: "worker_lost", error: lostLease(), acceptsResult: false });
  }

  #degraded(reason: string): void {
    const { bus, clock } = this.#options;
    bus.emit({ type: "guard.degraded", at: clock.wallMs(), guard: "worker", reason });
  }

  #announce(type: "worker.started" | "worker.stopped"): void {
    const { bus, clock, workerId, bootId } = this.#options;
    bus.emit({ type, at: clock.wallMs(), workerId, bootId });
  }
}

function lostLease(): CodedError {
  return bridleError("worker_lost", {
    message: "This worker has had no contact with the store for its fence time and takes no steps.",
  });
}
