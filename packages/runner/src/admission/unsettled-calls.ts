/**
 * What the store has not heard of yet: what calls cost, and which reservations were not used. It belongs to the worker, so that it
 * outlives the attempt that made the call.
 *
 * U1. A cost stays here until the ledger has answered for it. Its hold is renewed meanwhile, so that nobody ends it at its
 *     reservation, which a provider that bills more than it was asked for exceeds.
 * U2. A finish ends the holds of its attempt at what was reserved: whoever finishes one calls `book` first.
 * U3. A reservation that was not used is nobody's: nobody waits for its release and nobody renews it, but while its attempt goes on
 *     other steps miss its money, so it is tried again like a cost.
 * U4. What the ledger refuses as wrong, rather than does not answer, is let go after a few tries: no attempt waits for it for ever.
 */
import { CodedError } from "@bridle/kernel";
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Ledger } from "@bridle/ports";
import type { SettleRequest, Spender } from "@bridle/protocol";

import type { HoldKeeper, KeptCall } from "./hold-keeper.ts";

export interface UnsettledCallsOptions {
  readonly ledger: Pick<Ledger, "settle" | "release">;
  readonly clock: Clock;
  readonly holds: HoldKeeper;
}

interface Unsettled {
  readonly request: SettleRequest;
  readonly kept: KeptCall;
  refusals: number;
}

const againMs = 2000;
const mostRefusals = 10;

export class UnsettledCalls {
  readonly #options: UnsettledCallsOptions;
  readonly #calls = new Set<Unsettled>();
  /** Owners by hold id. */
  readonly #releases = new Map<string, Spender>();
  #timer: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: UnsettledCallsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** `kept` is what keeps the hold from expiring; it is let go when the cost is booked. */
  add(request: SettleRequest, kept: KeptCall): void {
    this.#calls.add({ request, kept, refusals: 0 });
    this.#arm();
  }

  /** U3. A finish of its attempt ends the hold as well. */
  addRelease(spender: Spender, holdId: string): void {
    this.#releases.set(holdId, spender);
    this.#arm();
  }

  /** Rejects when the ledger does not answer: then the attempt must not be finished yet. */
  async book(spender: Spender): Promise<void> {
    const own = [...this.#calls].filter(({ request }) => isOf(request, spender));
    await Promise.all(own.map(async (call) => this.#settle(call)));
  }

  /** One more try for each; what the store does not take now is charged at its reservation when the hold expires. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#settleAll();
    for (const call of this.#calls) this.#letGo(call);
    this.#releases.clear();
  }

  #arm(): void {
    const isEmpty = this.#calls.size === 0 && this.#releases.size === 0;
    if (this.#timer !== undefined || this.#isClosed || isEmpty) return;
    this.#timer = this.#options.clock.setTimer(againMs, () => {
      void this.#settleAll().finally(() => {
        this.#timer = undefined;
        this.#arm();
      });
    });
  }

  async #settleAll(): Promise<void> {
    const releases = [...this.#releases];
    await Promise.allSettled([
      ...[...this.#calls].map(async (call) => this.#settle(call)),
      ...releases.map(async ([holdId, spender]) => this.#release(holdId, spender)),
    ]);
  }

  async #release(holdId: string, spender: Spender): Promise<void> {
    const { ledger, clock } = this.#options;
    try {
      await ledger.release(spender, holdId, clock.wallMs());
    } catch (error) {
      if (!isRefusal(error)) return;
    }
    this.#releases.delete(holdId);
  }

  async #settle(call: Unsettled): Promise<void> {
    const { ledger, clock } = this.#options;
    try {
      await ledger.settle({ ...call.request, at: clock.wallMs() });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      call.refusals += 1;
      if (call.refusals < mostRefusals) throw error;
    }
    this.#letGo(call);
  }

  #letGo(call: Unsettled): void {
    this.#calls.delete(call);
    this.#options.holds.remove(call.kept);
  }
}

function isOf(request: SettleRequest, { runId, taskId, attempt }: Spender): boolean {
  return request.runId === runId && request.taskId === taskId && request.attempt === attempt;
}

/** The store was there and says that what was asked makes no sense to it. */
function isRefusal(error: unknown): boolean {
  return error instanceof RangeError || (CodedError.is(error) && error.code === "internal");
}
