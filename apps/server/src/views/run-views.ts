/**
 * Folds runs into what people see, each entry once.
 *
 * V1. A view is the fold of a prefix of the run's log: never ahead of it, never with a hole.
 * V2. Views of one run are made one after the other, so that two readers never fold the same entry twice into one state.
 * V3. At most `capacity` runs are kept; the least recently read leaves, and is folded afresh when asked for again.
 */
import { evolve, initialRun, viewRun } from "@bridle/dag";
import type { CompiledWorkflow, RunState } from "@bridle/dag";
import type { Store, StoredRun } from "@bridle/ports";
import { bridleError, isTerminalRun, runIdSchema, toWireAmounts } from "@bridle/protocol";
import type { EnvelopeState, EnvelopeView, LogEntry, RunId, RunView } from "@bridle/protocol";

const pageSize = 1000;

interface Folded {
  readonly stored: StoredRun;
  state: RunState;
  seq: number;
  finishedSeq: number | undefined;
}

export interface SeenRun {
  readonly view: RunView;
  /** Sequence number of `run.finished`, once there is one. */
  readonly finishedSeq: number | undefined;
}

export type ViewStore = Pick<Store, "runs" | "ledger">;

export class RunViews {
  readonly #store: ViewStore;
  readonly #capacity: number;
  readonly #folds = new Map<RunId, Promise<Folded | undefined>>();

  constructor(store: ViewStore, capacity = 200) {
    this.#store = store;
    this.#capacity = capacity;
  }

  /** The run as its log stands now. Rejects with `run_not_found`. */
  async view(id: string): Promise<RunView> {
    return (await this.see(id)).view;
  }

  /** As `view`, with where the log ends. */
  async see(id: string): Promise<SeenRun> {
    const parsed = runIdSchema.safeParse(id);
    const folded = parsed.success ? await this.#fold(parsed.data) : undefined;
    if (folded === undefined) {
      throw bridleError("run_not_found", { message: `There is no run with the id "${id}".` });
    }
    // Taken now: the fold goes on with the next reader while this one waits for the store.
    const { finishedSeq, seq } = folded;
    const { runId, traceId } = folded.stored;
    const view = { runId, traceId, seq, ...viewRun(folded.state) };
    return { view: await this.#withMoney(runId, view), finishedSeq };
  }

  async #withMoney(runId: RunId, view: RunView): Promise<RunView> {
    const envelopes = await this.#store.ledger.envelopes(runId);
    const budget = envelopes.find(({ envelope }) => envelope === "run");
    const output = isTerminalRun(view.status)
      ? await this.#store.runs.output(runId, "run")
      : undefined;
    return {
      ...view,
      ...(budget === undefined ? {} : { budget: envelopeView(budget) }),
      ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
    };
  }

  #fold(runId: RunId): Promise<Folded | undefined> {
    const before = this.#folds.get(runId);
    // A failed fold is not kept: the next reader starts afresh.
    const next = (before?.catch(() => undefined) ?? Promise.resolve(undefined)).then((folded) =>
      this.#advance(runId, folded),
    );
    this.#folds.delete(runId);
    this.#folds.set(runId, next);
    void next.then(
      (folded) => folded === undefined && this.#forget(runId, next),
      () => this.#forget(runId, next),
    );
    const [oldest] = this.#folds.keys();
    if (this.#folds.size > this.#capacity && oldest !== undefined) this.#folds.delete(oldest);
    return next;
  }

  #forget(runId: RunId, fold: Promise<unknown>): void {
    if (this.#folds.get(runId) === fold) this.#folds.delete(runId);
  }

  async #advance(runId: RunId, known: Folded | undefined): Promise<Folded | undefined> {
    const folded = known ?? (await this.#start(runId));
    if (folded === undefined) return undefined;
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
      const entries = await this.#store.runs.read(runId, {
        afterSeq: folded.seq,
        limit: pageSize,
      });
      for (const entry of entries) apply(folded, entry);
      if (entries.length < pageSize) return folded;
    }
  }

  async #start(runId: RunId): Promise<Folded | undefined> {
    const stored = await this.#store.runs.load(runId);
    if (stored === undefined) return undefined;
    // Written by `createSubmit` from a compiled workflow.
    const workflow = JSON.parse(stored.compiled) as CompiledWorkflow;
    return { stored, state: initialRun(workflow), seq: 0, finishedSeq: undefined };
  }
}

function apply(folded: Folded, entry: LogEntry): void {
  folded.state = evolve(folded.state, entry);
  folded.seq = entry.seq;
  if (entry.type === "run.finished") folded.finishedSeq = entry.seq;
}

/** An envelope as it crosses JSON. */
export function envelopeView(state: EnvelopeState): EnvelopeView {
  return {
    envelope: state.envelope,
    limit: toWireAmounts(state.limit),
    settled: toWireAmounts(state.settled),
    reserved: toWireAmounts(state.reserved),
    tripped: state.tripped,
    closed: state.closed,
  };
}
