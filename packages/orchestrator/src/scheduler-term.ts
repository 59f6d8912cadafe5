import type { RunState } from "@bridle/dag";
import { SingleFlight } from "@bridle/kernel";
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { DecisionCommit, Store } from "@bridle/ports";
import { asRunId } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";

import { groupByRun } from "./group-by-run.ts";
import { ParkingKeeper } from "./parking-keeper.ts";
import { RunTable } from "./run-table.ts";
import type { RunTableOptions } from "./run-table.ts";
import type { SchedulerSettings } from "./scheduler-settings.ts";
import { toArrival } from "./to-arrival.ts";
import type { WallAges } from "./wall-ages.ts";

/*
 * What a scheduler does while it holds the partition lease.
 *
 * Owns: which inbox entries and timers are in hand. Does not own: the lease itself, a run's decisions.
 *
 * T1  An inbox entry or timer is handed to its run once while in hand; it is free again when its run leaves the table.
 * T2  Wake-ups only make things sooner: the poll alone finds every new run, result, cancel, timer, lost worker and word of a
 *     breaker.
 * T3  A hold expires because its owner is gone, never because the wall clock was put forward (or the machine slept), and it
 *     does expire whatever this clock does (`WallAges`).
 * T4  A backlog is read page after page as it is answered or discarded, not a page with each poll.
 */

export interface SchedulerTermOptions extends Omit<
  RunTableOptions,
  "onCommitted" | "onLoaded" | "onGone" | "onReloading"
> {
  readonly settings: SchedulerSettings;
  /** Of the process: it knows what the clock did before this term. */
  readonly ages: WallAges;
}

export class SchedulerTerm {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #settings: SchedulerSettings;
  readonly #runs: RunTable;
  readonly #inboxInHand = new Map<string, RunId>();
  readonly #timersInHand = new Map<string, RunId>();
  readonly #onError: (error: unknown) => void;
  readonly #parking: ParkingKeeper;
  readonly #inbox: SingleFlight;
  readonly #timers: SingleFlight;
  readonly #poll: SingleFlight;
  readonly #reconcile: SingleFlight;
  readonly #unsubscribe: () => void;
  readonly #intervals: TimerHandle[] = [];
  #alarm: { readonly handle: TimerHandle; readonly at: number } | undefined;
  #stopped = false;
  #isInboxFull = false;
  #isTimerPageFull = false;
  readonly #ages: WallAges;

  constructor({ settings, ages, ...options }: SchedulerTermOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#settings = settings;
    this.#onError = options.onError;
    this.#ages = ages;
    this.#runs = new RunTable({
      ...options,
      settings,
      onCommitted: (commit, state) => this.#committed(commit, state),
      onLoaded: (state) => this.#parking.loaded(state),
      onGone: (runId) => this.#gone(runId),
      onReloading: (runId) => {
        this.#takeOutOfHand(runId);
        this.#parking.gone(runId);
        this.#inbox.request();
      },
    });
    this.#parking = new ParkingKeeper({
      store: this.#store,
      clock: this.#clock,
      quietMs: settings.probeQuietMs,
      deliver: (runId, arrivals) => this.#runs.deliver(runId, arrivals),
      onError: this.#onError,
    });
    this.#inbox = new SingleFlight(() => this.#readInbox(), this.#onError);
    this.#timers = new SingleFlight(() => this.#fireTimers(), this.#onError);
    this.#poll = new SingleFlight(() => this.#pollOnce(), this.#onError);
    this.#reconcile = new SingleFlight(() => this.#reconcileOnce(), this.#onError);
    this.#unsubscribe = this.#store.feed.subscribe("inbox", (detail) => this.#wake(detail));
  }

  /** Takes over every live run, then follows. */
  async start(): Promise<void> {
    // What the breakers last told comes before the runs that wait for them.
    await this.#parking.start();
    for (let after: RunId | undefined; !this.#stopped;) {
      // oxlint-disable-next-line no-await-in-loop -- pages follow each other
      const page = await this.#store.index.live(this.#settings.scanPage, after);
      for (const runId of page) this.#runs.deliver(runId, []);
      after = page.at(-1);
      if (page.length < this.#settings.scanPage) break;
    }
    this.#inbox.request();
    this.#timers.request();
    this.#every(this.#settings.pollMs, this.#poll);
    this.#every(this.#settings.reconcileMs, this.#reconcile);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    for (const interval of this.#intervals) interval.cancel();
    this.#alarm?.handle.cancel();
    await Promise.all([
      this.#parking.stop(),
      this.#inbox.idle(),
      this.#timers.idle(),
      this.#poll.idle(),
      this.#reconcile.idle(),
    ]);
    await this.#runs.stop();
  }

  #every(periodMs: number, flight: SingleFlight): void {
    const slot = this.#intervals.length;
    const arm = (): TimerHandle =>
      this.#clock.setTimer(periodMs, () => {
        if (this.#stopped) return;
        flight.request();
        this.#intervals[slot] = arm();
      });
    this.#intervals[slot] = arm();
  }

  #wake(detail: string): void {
    if (this.#stopped) return;
    if (detail !== "" && !this.#runs.has(asRunId(detail))) this.#runs.deliver(asRunId(detail), []);
    this.#inbox.request();
  }

  async #readInbox(): Promise<void> {
    const entries = await this.#store.inbox.read(this.#settings.inboxPage);
    this.#isInboxFull = entries.length >= this.#settings.inboxPage;
    const at = this.#clock.wallMs();
    const free = entries.filter(({ id }) => !this.#inboxInHand.has(id));
    for (const [runId, own] of groupByRun(free)) {
      for (const { id } of own) this.#inboxInHand.set(id, runId);
      this.#runs.deliver(
        runId,
        own.map((entry) => toArrival(entry, at)),
      );
    }
  }

  async #fireTimers(): Promise<void> {
    const now = this.#clock.wallMs();
    const due = await this.#store.timers.due(now, this.#settings.inboxPage);
    this.#isTimerPageFull = due.length >= this.#settings.inboxPage;
    for (const { runId, key } of due) {
      const inHand = timerInHand(runId, key);
      if (this.#timersInHand.has(inHand)) continue;
      this.#timersInHand.set(inHand, runId);
      this.#runs.deliver(runId, [{ input: { type: "timer", key }, at: now, timerKey: key }]);
    }
    const next = await this.#store.timers.next();
    if (next !== undefined) this.#setAlarm(next);
  }

  /** One timer for the earliest due time. Those in hand stay due in the store; the poll looks after them. */
  #setAlarm(at: number): void {
    const now = this.#clock.wallMs();
    if (
      this.#stopped ||
      at <= now ||
      (this.#alarm !== undefined && this.#alarm.at <= at && this.#alarm.at > now)
    )
      return;
    this.#alarm?.handle.cancel();
    this.#alarm = { at, handle: this.#clock.setTimer(at - now, () => this.#timers.request()) };
  }

  async #pollOnce(): Promise<void> {
    this.#inbox.request();
    this.#timers.request();
    this.#parking.look();
    const { runs } = await this.#store.index.list({
      status: "QUEUED",
      limit: this.#settings.scanPage,
    });
    for (const { runId } of runs) if (!this.#runs.has(runId)) this.#runs.deliver(runId, []);
    const at = this.#clock.wallMs();
    for (const { runId, taskId, attempt, bootId } of await this.#store.attempts.lost(
      this.#settings.scanPage,
    )) {
      this.#runs.deliver(runId, [{ input: { type: "task-lost", taskId, attempt, bootId }, at }]);
    }
  }

  async #reconcileOnce(): Promise<void> {
    this.#runs.confirm();
    const at = this.#clock.wallMs();
    const unclaimed = await this.#store.attempts.unclaimed(
      at - this.#settings.reconcileMs,
      this.#settings.scanPage,
    );
    for (const [runId, attempts] of groupByRun(unclaimed)) {
      // oxlint-disable-next-line no-await-in-loop -- a backlog is not made better by flooding the queue
      await this.#runs.redispatch(runId, attempts);
    }
    const olderThan = this.#ages.before();
    if (olderThan !== undefined) await this.#store.ledger.expire(olderThan, at);
  }

  #committed(commit: DecisionCommit, state: RunState): void {
    this.#parking.committed(commit, state);
    if (!this.#stopped) this.#readOn(commit);
    for (const id of commit.consumed) this.#inboxInHand.delete(id);
    for (const key of commit.timersCleared)
      this.#timersInHand.delete(timerInHand(commit.runId, key));
    for (const { key, at } of commit.timersSet) {
      this.#timersInHand.delete(timerInHand(commit.runId, key));
      this.#setAlarm(at);
    }
  }

  /** T4. What a full page held is answered, so there is room for the next one. */
  #readOn({ consumed, timersCleared }: DecisionCommit): void {
    if (this.#isInboxFull && consumed.length > 0) this.#inbox.request();
    if (this.#isTimerPageFull && timersCleared.length > 0) this.#timers.request();
  }

  /** Entries of a run that ended or never was have nobody to answer them, and would fill the inbox. */
  #gone(runId: RunId): void {
    this.#parking.gone(runId);
    const ids = this.#takeOutOfHand(runId);
    if (ids.length > 0) this.#discard(ids).catch(this.#onError);
  }

  async #discard(ids: readonly string[]): Promise<void> {
    await this.#store.inbox.discard(ids);
    // T4. Whatever stands behind them waits for nobody's answer.
    if (this.#isInboxFull && !this.#stopped) this.#inbox.request();
  }

  #takeOutOfHand(runId: RunId): readonly string[] {
    const ids = [...this.#inboxInHand].filter(([, owner]) => owner === runId).map(([id]) => id);
    for (const id of ids) this.#inboxInHand.delete(id);
    for (const [key, owner] of this.#timersInHand)
      if (owner === runId) this.#timersInHand.delete(key);
    return ids;
  }
}

function timerInHand(runId: RunId, key: string): string {
  return `${runId} ${key}`;
}
