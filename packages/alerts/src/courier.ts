/**
 * Brings one receiver its alerts.
 *
 * 1. At least once: a try is booked after it was made, so a process that dies between the two makes it again, under the same id.
 * 2. One request at a time, in the order the alerts were raised. One that failed waits on its own and lets newer ones pass: the
 *    order holds only while everything is taken at the first try.
 * 3. A receiver that fails rests, longer with each failure in a row; others do not notice.
 * 4. `stop` ends a request in flight and books nothing of it.
 */
import { SingleFlight } from "@bridle/kernel";
import type { Clock, Random } from "@bridle/kernel";
import type { DueDelivery, Outbox } from "@bridle/ports";

import { afterTry, pauseAfter } from "./after-try.ts";
import type { RetrySettings, SendAnswer } from "./after-try.ts";

/**
 * Sends one alert, once. Contract: resolves with the status of the answer, whatever it is; rejects when there was none; heeds the
 * signal.
 */
export type SendAlert = (
  alert: { readonly id: string; readonly body: string },
  signal: AbortSignal,
) => Promise<{ readonly status: number; readonly retryAfterMs?: number | undefined }>;

export interface CourierSettings extends RetrySettings {
  /** A try that takes longer has failed. */
  readonly timeoutMs: number;
  /** Most a failing receiver rests between two tries of anything. */
  readonly longestRestMs: number;
}

export interface CourierOptions {
  readonly destination: string;
  readonly send: SendAlert;
  readonly outbox: Pick<Outbox, "due" | "settle">;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: CourierSettings;
  /** Contract: never throws. */
  readonly onDead: (delivery: Pick<DueDelivery, "alertId" | "destination">, error: string) => void;
  readonly onError: (error: unknown) => void;
}

const pageSize = 20;

export class Courier {
  readonly #options: CourierOptions;
  readonly #flight: SingleFlight;
  readonly #stopping = new AbortController();
  #failures = 0;
  /** Monotonic. */
  #restsUntilMs = 0;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#flight = new SingleFlight(() => this.#deliverDue(), options.onError);
  }

  /** Looks for what is due. Returns at once. */
  request(): void {
    if (!this.#stopping.signal.aborted) this.#flight.request();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("The courier stops."));
    await this.#flight.idle();
  }

  async #deliverDue(): Promise<void> {
    const { destination, outbox, clock } = this.#options;
    while (!this.#isResting()) {
      // oxlint-disable-next-line no-await-in-loop -- (2)
      const due = await outbox.due({ destination, now: clock.wallMs(), limit: pageSize });
      if (due.length === 0) return;
      for (const delivery of due) {
        if (this.#isResting()) return;
        // oxlint-disable-next-line no-await-in-loop -- (2)
        await this.#try(delivery);
      }
    }
  }

  #isResting(): boolean {
    const { clock } = this.#options;
    return this.#stopping.signal.aborted || clock.monotonicMs() < this.#restsUntilMs;
  }

  async #try(delivery: DueDelivery): Promise<void> {
    const { outbox, clock, random, settings, onDead } = this.#options;
    const answer = await this.#answerTo(delivery);
    if (this.#stopping.signal.aborted) return;
    const { attempts } = delivery;
    const chance = random.next();
    const outcome = afterTry({ attempts, answer, at: clock.wallMs(), chance }, settings);
    this.#rest("status" in answer && (answer.status < 300 || answer.status === 410), chance);
    await outbox.settle(delivery, outcome);
    if (outcome.status === "dead") onDead(delivery, outcome.error);
  }

  #rest(isWell: boolean, chance: number): void {
    const { clock, settings } = this.#options;
    this.#failures = isWell ? 0 : this.#failures + 1;
    if (isWell) return;
    const { longestRestMs: longestPauseMs } = settings;
    const restMs = pauseAfter(this.#failures - 1, chance, { ...settings, longestPauseMs });
    this.#restsUntilMs = clock.monotonicMs() + restMs;
  }

  async #answerTo({ alertId: id, body }: DueDelivery): Promise<SendAnswer> {
    const { send, clock, settings } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimer(settings.timeoutMs, () => late.abort(new Error("timeout")));
    try {
      return await send({ id, body }, AbortSignal.any([late.signal, this.#stopping.signal]));
    } catch (error) {
      if (late.signal.aborted) return { fault: `No answer within ${settings.timeoutMs} ms.` };
      return { fault: faultOf(error) };
    } finally {
      timer.cancel();
    }
  }
}

/** A code where there is one: messages of the network may carry the address, and it may be a secret. */
function faultOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? `Not reached (${code}).` : "Not reached.";
}
