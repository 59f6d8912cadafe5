/**
 * The burn board of this server (BB-1): asks the ledger what was charged in the last minute, when somebody looks and on each minute.
 *
 * 1. A minute in which the store does not answer is a gap.
 * 2. It begins when the server listens, or when somebody looks. One question at a time; the timer is set again when it is answered, and ends with `close`.
 */
import {
  burnChains,
  burnWindowMs,
  initialBurn,
  minuteOf,
  recordBurn,
  selectBurning,
  selectRecentBurn,
  startOfDay,
} from "@bridle/budget";
import type { BurningChain, BurnMeasure, BurnState } from "@bridle/budget";
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Ledger } from "@bridle/ports";
import { toWireAmounts } from "@bridle/protocol";
import type { BurnBoard, OuterEnvelopeState } from "@bridle/protocol";

export class BurnKeeper {
  readonly #ledger: Pick<Ledger, "outer" | "spending">;
  readonly #clock: Clock;
  #state: BurnState = initialBurn();
  #timer: TimerHandle | undefined;
  #isClosed = false;

  constructor(ledger: Pick<Ledger, "outer" | "spending">, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** From now on a snapshot is kept of each minute. Harmless when it runs already. */
  start(): void {
    if (this.#timer === undefined) this.#arm();
  }

  async board(by: BurnMeasure): Promise<BurnBoard> {
    this.start();
    const at = this.#clock.wallMs();
    const [{ runs, total }, days] = await Promise.all([this.#ask(at, by), this.#ledger.outer(at)]);
    return {
      at,
      windowMs: burnWindowMs,
      total: toWireAmounts(total),
      chains: selectBurning(this.#state, { runs, by, nowMs: at }).map(toWire),
      recent: selectRecentBurn(this.#state, at).map((snapshot) => ({
        minute: snapshot.minute,
        total: toWireAmounts(snapshot.total),
        chains: snapshot.chains.map(({ runId, charged }) => ({
          runId,
          charged: toWireAmounts(charged),
        })),
      })),
      days: days.map(toWireDay),
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #arm(): void {
    if (this.#isClosed) return;
    const nowMs = this.#clock.wallMs();
    const untilMs = minuteOf(nowMs) + burnWindowMs - nowMs;
    this.#timer = this.#clock.setTimer(
      untilMs,
      () => void this.#record().finally(() => this.#arm()),
    );
  }

  async #record(): Promise<void> {
    const endMs = minuteOf(this.#clock.wallMs());
    try {
      const spending = await this.#ask(endMs, "nanoUsd");
      this.#state = recordBurn(this.#state, endMs - burnWindowMs, spending);
    } catch {
      // A gap; whoever looks meanwhile is told that the store is away.
    }
  }

  async #ask(untilMs: number, by: BurnMeasure): ReturnType<Ledger["spending"]> {
    return this.#ledger.spending({ since: untilMs - burnWindowMs, by, limit: burnChains });
  }
}

function toWireDay({
  scope,
  day,
  spent,
  given,
  limit,
}: OuterEnvelopeState): BurnBoard["days"][number] {
  return {
    scope,
    resetsAt: startOfDay(day + 1),
    spent: toWireAmounts(spent),
    given: toWireAmounts(given),
    limit: toWireAmounts(limit),
  };
}

function toWire(chain: BurningChain): BurnBoard["chains"][number] {
  const { runId, delta, slope, msToLimit } = chain;
  return {
    runId,
    charged: toWireAmounts(chain.charged),
    settled: toWireAmounts(chain.settled),
    reserved: toWireAmounts(chain.reserved),
    limit: toWireAmounts(chain.limit),
    delta,
    slope,
    ...(msToLimit === undefined ? {} : { msToLimit }),
  };
}
