/**
 * One run's ledger with a clock and a listener: what another orchestrator uses.
 *
 * 1. Every method but `reserveWithin` answers in the same turn; the listener is called after the state has changed,
 *    once per event (GC-2).
 * 2. A wait holds nothing (BU-8). It ends with the ledger's answer in its turn, with that to one last ask when its time
 *    is over, or with the signal's abort.
 * 3. `expire` is the caller's to call: the ledger owns no timer that could end a living hold.
 */
import type { Clock, Ids } from "@bridle/kernel";
import { noAmounts } from "@bridle/protocol";
import type {
  Amounts,
  EnvelopeState,
  EnvelopeTerms,
  HoldEnd,
  HoldState,
  JournalEvent,
  ReserveAnswer,
  ReserveRefusal,
  ReserveRequest,
  RunId,
  SettleRequest,
  TaskId,
} from "@bridle/protocol";

import { pathOf } from "./admission.ts";
import type { LedgerInput, LedgerStep } from "./ledger-input.ts";
import { initialLedger, selectEnvelope, selectEnvelopes, selectOpenHolds } from "./ledger-state.ts";
import type { EnvelopeName, LedgerState } from "./ledger-state.ts";
import { reduceLedger } from "./reduce-ledger.ts";
import { WaitingLine } from "./waiting-line.ts";
import type { Waiter } from "./waiting-line.ts";

/** BU-8: the longest a step waits for money that others hold. */
export const defaultWaitMs = 30_000;
/** BU-11: a hold whose owner has not renewed it for so long is taken for dead. */
export const defaultHoldExpiryMs = 60_000;

export interface BudgetOptions {
  readonly runId: RunId;
  readonly terms: EnvelopeTerms;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Contract: never throws, never blocks, and does not call back into this budget. */
  readonly onEvent: (event: JournalEvent) => void;
}

export interface Ask {
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly step: number;
  readonly amounts: Amounts;
  readonly kind?: ReserveRequest["kind"] | undefined;
}

/** Money set aside for one step. Ends once; later endings get the first answer (BU-11). */
export interface Hold {
  readonly admitted: true;
  readonly holdId: string;
  /** False: do not send. */
  dispatch(): boolean;
  settle(actual: Amounts, basis?: SettleRequest["basis"]): HoldEnd;
  release(): HoldEnd;
  /** To be called every 15 s while the step lives. */
  renew(): void;
}

export class Budget {
  readonly #options: BudgetOptions;
  readonly #state: LedgerState;
  readonly #line = new WaitingLine();
  readonly #startWallMs: number;
  readonly #startMonotonicMs: number;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#state = initialLedger({ runId: options.runId, terms: options.terms });
    this.#startWallMs = options.clock.wallMs();
    this.#startMonotonicMs = options.clock.monotonicMs();
  }

  /** Gives a task its envelope, a cap inside its parent's (the run's, when not stated). Without one it spends nothing. */
  open(taskId: TaskId, terms: EnvelopeTerms, parent?: TaskId): void {
    this.#move({ type: "open", taskId, terms, parent });
  }

  /**
   * Gives a spawned task money out of its parent's envelope (LF-8): set aside there at once, given back when the envelope closes. Answers
   * what it has got: as much as `terms` say, or what the parent can set aside if that is less.
   */
  carve(taskId: TaskId, terms: EnvelopeTerms, parent: TaskId): Amounts {
    this.#move({ type: "open", taskId, terms, parent, carvedAt: this.#now() });
    return selectEnvelope(this.#state, taskId)?.limit ?? noAmounts;
  }

  /** Asks once. A refusal has changed nothing. */
  reserve(ask: Ask): Hold | ReserveRefusal {
    return this.#admit(this.#request(ask));
  }

  /** As `reserve`, but waits in line while others hold what is missing. Rejects only with the abort's reason. */
  async reserveWithin(
    ask: Ask,
    { waitMs = defaultWaitMs, signal }: { waitMs?: number; signal?: AbortSignal } = {},
  ): Promise<Hold | ReserveRefusal> {
    signal?.throwIfAborted();
    const request = this.#request(ask);
    const levels = pathOf(this.#state, ask.taskId)?.map(({ name }) => name) ?? [];
    const atOnce = this.#line.isAhead(levels) ? undefined : this.#admit(request);
    if (atOnce && (atOnce.admitted || atOnce.refusal !== "transient")) return atOnce;
    return new Promise((resolve, reject) => {
      const finish = (outcome: () => void): void => {
        timer.cancel();
        signal?.removeEventListener("abort", onAbort);
        this.#line.leave(waiter);
        outcome();
      };
      const waiter: Waiter = {
        levels,
        attempt: () => this.#move(request),
        done: (answer) => finish(() => resolve(answer.admitted ? this.#hold(request) : answer)),
      };
      const onAbort = (): void => finish(() => reject(signal?.reason as Error));
      const timer = this.#options.clock.setTimer(waitMs, () =>
        finish(() => resolve(this.#admit(request))),
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#line.join(waiter);
    });
  }

  /** Nothing more is reserved or sent there; what was sent is still charged (BU-6). */
  close(envelope: EnvelopeName): void {
    this.#move({ type: "close", envelope, at: this.#now() });
    this.#line.serve();
  }

  /** Adds to a limit; clears a trip when settled is below the new line. */
  raise(envelope: EnvelopeName, by: Amounts): EnvelopeState | undefined {
    const state = this.#move({ type: "raise", envelope, by, at: this.#now() });
    this.#line.serve();
    return state;
  }

  /** Refuses reservations until every cause that froze it has gone (BR-17). */
  freeze(envelope: EnvelopeName, cause: string): void {
    this.#move({ type: "freeze", envelope, cause });
  }

  unfreeze(envelope: EnvelopeName, cause: string): void {
    this.#move({ type: "unfreeze", envelope, cause });
    this.#line.serve();
  }

  /** Refuses every older attempt of the task from now on. */
  fence(taskId: TaskId, attempt: number): void {
    this.#move({ type: "fence", taskId, attempt });
  }

  /** Ends every hold of the attempt: sent ones charged at what was reserved, others released. It reserves no more. */
  endAttempt(taskId: TaskId, attempt: number): void {
    const { runId } = this.#options;
    this.#move({ type: "end-attempt", runId, taskId, attempt, at: this.#now(), final: true });
    this.#line.serve();
  }

  /** Ends the holds of owners that are taken for dead. Returns how many. */
  expire(afterMs = defaultHoldExpiryMs): number {
    const at = this.#now();
    const expired = this.#move({ type: "expire", olderThan: at - afterMs, at });
    this.#line.serve();
    return expired;
  }

  envelopes(): readonly EnvelopeState[] {
    return selectEnvelopes(this.#state);
  }

  openHolds(): readonly HoldState[] {
    return selectOpenHolds(this.#state);
  }

  #request({ taskId, attempt, step, amounts, kind = "normal" }: Ask) {
    const { runId, ids } = this.#options;
    const holdId = ids.next("hold");
    const at = this.#now();
    return { type: "reserve", runId, taskId, attempt, holdId, step, amounts, kind, at } as const;
  }

  #admit(request: { readonly type: "reserve" } & ReserveRequest): Hold | ReserveRefusal {
    const answer: ReserveAnswer = this.#move(request);
    return answer.admitted ? this.#hold(request) : answer;
  }

  #hold({ holdId, runId, taskId, attempt }: ReserveRequest): Hold {
    const named = { runId, taskId, attempt, holdId };
    return {
      admitted: true,
      holdId,
      dispatch: () => this.#move({ type: "dispatch", ...named }),
      settle: (actual, basis = "usage") =>
        this.#end({ type: "settle", ...named, actual, basis, at: this.#now() }),
      release: () => this.#end({ type: "release", ...named, at: this.#now() }),
      renew: () => void this.#move({ type: "renew", holdIds: [holdId], at: this.#now() }),
    };
  }

  #end(input: Extract<LedgerInput, { type: "settle" | "release" }>): HoldEnd {
    const end = this.#move(input);
    this.#line.serve();
    return end;
  }

  #move<Input extends LedgerInput>(input: Input): LedgerStep<Input["type"]>[1] {
    const [, answer, events] = reduceLedger(this.#state, input);
    for (const event of events) this.#options.onEvent(event);
    return answer;
  }

  /** Wall time for the events, but counted on from the start by the monotonic clock: a jump must not expire a hold. */
  #now(): number {
    return this.#startWallMs + this.#options.clock.monotonicMs() - this.#startMonotonicMs;
  }
}
