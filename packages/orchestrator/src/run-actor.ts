import type { Bus } from "@bridle/bus";
import { evolve, pendingCommands, summaryStatus } from "@bridle/dag";
import type { RunCommand, RunInput, RunState } from "@bridle/dag";
import { SingleFlight } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import type { DecisionCommit, Store, TaskQueue } from "@bridle/ports";
import { eventClasses, isTerminalRun } from "@bridle/protocol";
import type { RunId, RunStatus, Spender } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import { buildCommit, changesAnything } from "./build-commit.ts";
import { decideBatch } from "./decide-batch.ts";
import type { Decided } from "./decide-batch.ts";
import { dispatchTasks } from "./dispatch-tasks.ts";
import type { DispatchCommand } from "./dispatch-tasks.ts";
import { EnvelopeBook } from "./envelope-book.ts";
import { fenceOffLost } from "./fence-off-lost.ts";
import { RunEvaluations } from "./run-evaluations.ts";
import type { RunEvaluator } from "./run-evaluator.ts";
import type { SchedulerSettings } from "./scheduler-settings.ts";
import { withStopFigures } from "./stop-figures.ts";
import { withRoom } from "./with-room.ts";

/*
 * One live run: folds what happened, decides, commits, then acts.
 *
 * Owns: the folded state of the run between commits. Does not own: the truth (the store), the lease, the inbox reader.
 *
 * A1  One batch at a time: decisions are made against the state of the last commit, and committed against its version.
 * A2  Nothing is dispatched, evaluated or announced before the decisions that ask for it are in the store.
 * A3  After any failure the state in memory is worthless: the actor breaks, and its owner loads the run again. What the
 *     batch would have answered is still in the store (inbox, timers) or follows from the state (`pendingCommands`).
 * A4  What may stop a task is decided knowing which attempts a worker has claimed: the journal is folded first. A claimed
 *     attempt is asked to stop and waited for; an unclaimed one ends at once.
 * A5  A commit whose answer was lost may still be made after the run was loaded again. Until the next commit succeeds,
 *     which then refuses it, `confirm` finds out: nothing else would, since its timers and inbox entries are gone with it.
 */

/** Most arrivals of one commit: bounds the size of a statement, not the speed. */
const batchSize = 256;

export interface RunActorOptions {
  readonly runId: RunId;
  readonly traceId: string;
  readonly state: RunState;
  readonly decisions: number;
  readonly evaluator: RunEvaluator;
  readonly store: Store;
  readonly queue: TaskQueue;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly lease: DecisionCommit["lease"];
  readonly settings: Pick<SchedulerSettings, "snapshotEvery" | "logPage">;
  /** With the run as it is after it. Contract: synchronous, keeps nothing of the state. */
  readonly onCommitted: (commit: DecisionCommit, state: RunState) => void;
  readonly onEnded: () => void;
  readonly onBroken: (error: unknown) => void;
}

/** Inputs whose decision may stop tasks, and depends on which of them a worker holds. */
const whoWorksMatters: {
  readonly [Type in RunInput["type"]]:
    | boolean
    | ((input: Extract<RunInput, { readonly type: Type }>) => boolean);
} = {
  start: false,
  "task-evaluated": ({ result }) => result.kind === "error",
  "output-evaluated": false,
  "task-finished": ({ outcome }) => outcome.status === "failed",
  "task-lost": true,
  cancel: true,
  pause: false,
  resume: false,
  release: false,
  spawn: false,
  timer: true,
};

function asksWhoWorks({ input }: Arrival): boolean {
  // The table holds for each type what takes that type's input.
  const matters = whoWorksMatters[input.type] as boolean | ((input: RunInput) => boolean);
  return typeof matters === "boolean" ? matters : matters(input);
}

export class RunActor {
  readonly #options: RunActorOptions;
  readonly #mailbox: Arrival[] = [];
  readonly #evaluations: RunEvaluations;
  readonly #flight: SingleFlight;
  #state: RunState;
  #decisions: number;
  #lastSnapshot: number;
  #status: RunStatus;
  /** The journal is folded up to this entry. From the beginning after a load: a snapshot may lack some of it. */
  #journalSeq = 0;
  #stopped = false;
  #isToConfirm = false;
  /** By task and attempt. */
  readonly #toRedispatch = new Map<string, Pick<Spender, "taskId" | "attempt">>();

  constructor(options: RunActorOptions) {
    this.#options = options;
    this.#state = options.state;
    this.#decisions = options.decisions;
    this.#lastSnapshot = options.decisions;
    this.#status = summaryStatus(options.state);
    this.#evaluations = new RunEvaluations({
      evaluator: options.evaluator,
      clock: options.clock,
      state: () => this.#state,
      onAnswer: (arrival) => this.push([arrival]),
      onError: (error) => this.#break(error),
    });
    this.#flight = new SingleFlight(
      () => this.#drain(),
      (error) => this.#break(error),
    );
  }

  /** Does again what a crash may have swallowed between a commit and its effects. */
  async recover(): Promise<void> {
    const commands = pendingCommands(this.#state);
    await this.#dispatch(commands);
    this.#evaluations.start(commands);
  }

  /** Dispatches again those of the given attempts that the run still waits for: their jobs may be lost. */
  async redispatch(attempts: readonly Spender[]): Promise<void> {
    if (this.#stopped) return;
    for (const { taskId, attempt } of attempts) {
      this.#toRedispatch.set(`${taskId} ${attempt}`, { taskId, attempt });
    }
    this.#flight.request();
    await this.#flight.idle();
  }

  push(arrivals: readonly Arrival[]): void {
    if (this.#stopped || arrivals.length === 0) return;
    // Not spread into push(): a fan-out's recovery can bring ten thousand at once, beyond the argument limit.
    for (const arrival of arrivals) this.#mailbox.push(arrival);
    this.#flight.request();
  }

  /** A5. Breaks the actor when the run has decisions in the store that it does not know. */
  confirm(): void {
    if (this.#stopped) return;
    this.#isToConfirm = true;
    this.#flight.request();
  }

  /** Takes nothing more; resolves when the batch in hand has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#flight.idle();
  }

  #break(error: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#options.onBroken(error);
  }

  async #drain(): Promise<void> {
    if (this.#isToConfirm) await this.#confirm();
    if (this.#toRedispatch.size > 0) await this.#redispatch();
    while (this.#mailbox.length > 0 && !this.#stopped) {
      const arrivals = this.#mailbox.splice(0, batchSize);
      // oxlint-disable-next-line no-await-in-loop -- A4
      if (arrivals.some(asksWhoWorks)) await this.#foldJournal();
      // oxlint-disable-next-line no-await-in-loop -- A1: the room is that of the last commit
      const batch = await this.#withRoom(arrivals);
      // oxlint-disable-next-line no-await-in-loop -- A1: so are the envelopes
      const book = await this.#envelopes(arrivals);
      const decided = decideBatch(this.#state, batch, { evaluator: this.#options.evaluator, book });
      this.#state = decided.run;
      // oxlint-disable-next-line no-await-in-loop -- A1
      await this.#commit(decided);
      if (isTerminalRun(this.#status)) return this.#end();
      // oxlint-disable-next-line no-await-in-loop -- A2: the next batch must not overtake these effects' fences
      await this.#dispatch(decided.commands);
      this.#evaluations.start(decided.commands);
      // oxlint-disable-next-line no-await-in-loop -- A2
      await this.#fenceOffLost(decided);
    }
  }

  async #confirm(): Promise<void> {
    this.#isToConfirm = false;
    const { store, runId } = this.#options;
    const stored = await store.runs.load(runId);
    if (stored === undefined || stored.decisions === this.#decisions) return;
    throw new Error(
      `A commit to ${runId} whose answer was lost was made all the same (${stored.decisions} decisions, not ${this.#decisions}); the run is loaded again.`,
    );
  }

  /** In the run's own turn (A2): between a decision and its commit the state is ahead of the store. */
  async #redispatch(): Promise<void> {
    const unclaimed = [...this.#toRedispatch.values()];
    const wanted = new Set(this.#toRedispatch.keys());
    this.#toRedispatch.clear();
    const { store, runId } = this.#options;
    // Those that the run does not wait for now are dated anew as well: they stand behind the others at the next look.
    await store.attempts.raiseFences(runId, unclaimed);
    await this.#dispatch(
      pendingCommands(this.#state).filter(
        (command) =>
          command.type === "dispatch-task" && wanted.has(`${command.taskId} ${command.attempt}`),
      ),
    );
  }

  async #fenceOffLost({ arrivals }: Decided): Promise<void> {
    const { store, runId } = this.#options;
    await fenceOffLost({ attempts: store.attempts, runId, run: this.#state, arrivals });
  }

  async #withRoom(arrivals: readonly Arrival[]): Promise<Arrival[]> {
    const { store, runId } = this.#options;
    return withRoom({ ledger: store.ledger, runId, workflow: this.#state.workflow }, arrivals);
  }

  /** Whoever is asked for a task must know what its parent can pay for. */
  async #envelopes(arrivals: readonly Arrival[]): Promise<EnvelopeBook> {
    if (!arrivals.some(({ input }) => input.type === "spawn")) return new EnvelopeBook([]);
    const { store, runId } = this.#options;
    return new EnvelopeBook(await store.ledger.envelopes(runId));
  }

  async #foldJournal(): Promise<void> {
    const { store, runId, settings } = this.#options;
    for (;;) {
      const page = { afterSeq: this.#journalSeq, limit: settings.logPage };
      // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
      const entries = await store.runs.read(runId, page);
      for (const entry of entries) {
        if (eventClasses[entry.type] === "journal") this.#state = evolve(this.#state, entry);
      }
      this.#journalSeq = entries.at(-1)?.seq ?? this.#journalSeq;
      if (entries.length < settings.logPage) return;
    }
  }

  async #commit({ arrivals, events, commands }: Decided): Promise<void> {
    const { runId, traceId, store, bus, clock, lease } = this.#options;
    const status = summaryStatus(this.#state);
    const commit = buildCommit({
      runId,
      lease,
      expectedDecisions: this.#decisions,
      arrivals,
      events: await withStopFigures({ store, runId, run: this.#state }, events),
      commands,
      status: status === this.#status ? undefined : status,
      snapshot: this.#snapshotIfDue(events.length),
      at: clock.wallMs(),
    });
    if (!changesAnything(commit)) return;
    const answer = await store.runs.commit(commit);
    if (!answer.committed)
      throw new Error(
        `The commit of ${events.length} decisions to ${runId} was refused (${answer.reason}); the run is loaded again.`,
      );
    this.#decisions = answer.decisions;
    this.#status = status;
    // Whoever listens need not have heard of the run before to know its trace (O1).
    for (const event of commit.events) bus.emit({ ...event, traceId });
    this.#options.onCommitted(commit, this.#state);
  }

  #snapshotIfDue(added: number): string | undefined {
    const { snapshotEvery } = this.#options.settings;
    const due = this.#lastSnapshot + Math.max(snapshotEvery, this.#lastSnapshot);
    if (this.#decisions + added < due) return undefined;
    this.#lastSnapshot = this.#decisions + added;
    return JSON.stringify(this.#state);
  }

  #end(): void {
    this.#stopped = true;
    this.#options.onEnded();
  }

  async #dispatch(commands: readonly RunCommand[]): Promise<void> {
    const { store, queue, runId } = this.#options;
    await dispatchTasks({
      attempts: store.attempts,
      queue,
      runId,
      isHeld: () => this.#state.paused !== undefined || this.#state.ending !== undefined,
      commands: commands.filter(
        (command): command is DispatchCommand => command.type === "dispatch-task",
      ),
    });
  }
}
