/**
 * Raises alerts from what the logs say, and sees to it that they are delivered. The only place that reacts to one guard's
 * word on behalf of another: guards publish, and never call each other.
 *
 * Owns: the fold from signals to alerts, the couriers. Does not own: the signals (the store keeps them with their entries), what a
 * guard does by itself.
 *
 * 1. Of any number of desks on one store the one with the lease works. Its folds carry the lease's epoch: one that was
 *    overtaken without noticing stores nothing.
 * 2. A signal is consumed in the commit that stores its alert, so that neither a crash nor a takeover loses or doubles one.
 * 3. The poll alone finds everything; `wake` only makes it sooner.
 * 4. It waits for no receiver, and nothing waits for it.
 */
import { SingleFlight } from "@bridle/kernel";
import type { Clock, Random, TimerHandle } from "@bridle/kernel";
import type { AlertSignal, Ledger, Leases, Outbox } from "@bridle/ports";
import { asRunId, toWireAmounts } from "@bridle/protocol";
import type { Alert, EventOf } from "@bridle/protocol";

import { alertOf } from "./alert-of.ts";
import { Courier } from "./courier.ts";
import type { SendAlert } from "./courier.ts";
import { deadLetter } from "./dead-letter.ts";
import type { DeadLetter } from "./dead-letter.ts";
import { resolveDeskSettings } from "./desk-settings.ts";
import type { AlertDeskSettings } from "./desk-settings.ts";
import { initialDesk, reduceDesk } from "./reduce-desk.ts";
import type { DeskInput, DeskState, ToldAlert } from "./reduce-desk.ts";

export interface AlertReceiver {
  readonly name: string;
  /** Contract: pure. */
  readonly wants: (alert: Alert) => boolean;
  readonly send: SendAlert;
  readonly timeoutMs: number;
}

export interface AlertDeskOptions {
  readonly store: {
    readonly outbox: Outbox;
    readonly leases: Pick<Leases, "acquire" | "release">;
    readonly ledger: Pick<Ledger, "envelopes">;
  };
  readonly receivers: readonly AlertReceiver[];
  readonly clock: Clock;
  readonly random: Random;
  /** Names this start of the process; holds the lease. */
  readonly bootId: string;
  readonly settings?: Partial<AlertDeskSettings>;
  /** Takes secrets out of what leaves. Contract: pure. */
  readonly redact: (alert: Alert) => Alert;
  /** Told of each alert once it is stored. Contract: never throws. */
  readonly onAlert: (event: EventOf<"alert">) => void;
  readonly onError: (error: unknown) => void;
}

const leaseName = "alerts";
const pageSize = 500;

export class AlertDesk {
  readonly #options: AlertDeskOptions;
  readonly #settings: AlertDeskSettings;
  readonly #look: SingleFlight;
  readonly #couriers: readonly Courier[];
  /** Given up since the last fold; told with the next one. */
  #dead: DeadLetter[] = [];
  #known: { readonly epoch: number; readonly state: DeskState } | undefined;
  #timer: TimerHandle | undefined;
  #expiresAtMs = 0;
  #isStopped = false;

  constructor(options: AlertDeskOptions) {
    this.#options = options;
    this.#settings = resolveDeskSettings(options.settings ?? {});
    this.#look = new SingleFlight(() => this.#turn(), options.onError);
    this.#couriers = options.receivers.map((receiver) => this.#courierOf(receiver));
  }

  /** Looks at once, then every `pollMs`. */
  start(): void {
    this.#look.request();
    this.#timer = this.#options.clock.setTimer(this.#settings.pollMs, () => this.start());
  }

  /** There may be something new. */
  wake(): void {
    if (!this.#isStopped) this.#look.request();
  }

  /** Ends requests in flight and gives the lease back, so that a successor need not wait for it to lapse. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await Promise.all([this.#look.idle(), ...this.#couriers.map(async (one) => one.stop())]);
    const { leases } = this.#options.store;
    await leases.release(leaseName, this.#options.bootId).catch(() => undefined);
  }

  async #turn(): Promise<void> {
    if (this.#isStopped) return;
    const { store, bootId } = this.#options;
    const lease = await store.leases.acquire(leaseName, bootId, this.#settings.leaseMs);
    if (lease === undefined) return;
    await this.#foldAll(lease.epoch);
    await this.#expireOld();
    for (const courier of this.#couriers) courier.request();
  }

  async #foldAll(epoch: number): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- each page is answered before the next
      const signals = await this.#options.store.outbox.signals(pageSize);
      // oxlint-disable-next-line no-await-in-loop -- as above
      const isStored = await this.#fold(epoch, signals);
      if (!isStored || signals.length < pageSize || this.#isStopped) return;
    }
  }

  async #fold(epoch: number, signals: readonly AlertSignal[]): Promise<boolean> {
    const { store, clock } = this.#options;
    const dead = this.#dead;
    const now = clock.wallMs();
    const before = await this.#stateUnder(epoch);
    const input = inputOf(signals, dead, now);
    const [state, told] = reduceDesk(before, input, this.#settings);
    if (signals.length + dead.length + told.length === 0) {
      this.#known = { epoch, state };
      return true;
    }
    this.#known = undefined;
    const alerts = await Promise.all(told.map(async (one) => this.#complete(one)));
    const isStored = await store.outbox.fold({
      lease: { name: leaseName, epoch },
      consumed: signals.map(({ id }) => id),
      state: JSON.stringify(state),
      alerts: alerts.map(({ alert, isListedOnly }) => ({
        id: alert.id,
        body: JSON.stringify(alert),
        destinations: isListedOnly ? [] : this.#destinationsOf(alert, dead),
      })),
      at: now,
    });
    if (!isStored) return false;
    this.#known = { epoch, state };
    this.#dead = this.#dead.slice(dead.length);
    for (const { alert } of alerts) this.#options.onAlert(eventOf(alert, now));
    return true;
  }

  /** Another holder may have gone on with it in between. */
  async #stateUnder(epoch: number): Promise<DeskState> {
    if (this.#known?.epoch === epoch) return this.#known.state;
    const text = await this.#options.store.outbox.state();
    // Written by a fold, from a value of this type.
    return text === undefined ? initialDesk : (JSON.parse(text) as DeskState);
  }

  /** LF-12: with what its run has spent by now. */
  async #complete({ alert, isListedOnly }: ToldAlert): Promise<ToldAlert> {
    const { store, redact } = this.#options;
    const { runId } = alert;
    if (runId === undefined) return { alert: redact(alert), isListedOnly };
    const envelopes = await store.ledger.envelopes(asRunId(runId));
    const settled = envelopes.find(({ envelope }) => envelope === "run")?.settled;
    const spent = settled === undefined ? {} : { spent: toWireAmounts(settled) };
    return { alert: redact({ ...alert, ...spent }), isListedOnly };
  }

  #destinationsOf(alert: Alert, dead: readonly DeadLetter[]): readonly string[] {
    const failed = new Set(
      alert.name === "alerts.dead_letter" ? dead.map(({ destination }) => destination) : [],
    );
    return this.#options.receivers
      .filter(({ name, wants }) => wants(alert) && !failed.has(name))
      .map(({ name }) => name);
  }

  /** Also what is meant for receivers that are no longer configured. */
  async #expireOld(): Promise<void> {
    const { clock, store } = this.#options;
    if (clock.monotonicMs() < this.#expiresAtMs) return;
    this.#expiresAtMs = clock.monotonicMs() + this.#settings.expireEveryMs;
    const { maxAgeMs } = this.#settings;
    const error = `Not delivered within ${maxAgeMs} ms.`;
    const given = await store.outbox.expire(clock.wallMs() - maxAgeMs, error);
    for (const delivery of given) this.#giveUp(delivery, error);
  }

  #giveUp(delivery: Pick<DeadLetter, "alertId" | "destination">, error: string): void {
    const at = this.#options.clock.wallMs();
    this.#dead = deadLetter(this.#dead, { ...delivery, error, at });
  }

  #courierOf({ name, send, timeoutMs }: AlertReceiver): Courier {
    const { store, clock, random, onError } = this.#options;
    return new Courier({
      destination: name,
      send,
      outbox: store.outbox,
      clock,
      random,
      settings: { ...this.#settings, timeoutMs },
      onDead: (delivery, error) => this.#giveUp(delivery, error),
      onError,
    });
  }
}

function inputOf(
  signals: readonly AlertSignal[],
  dead: readonly DeadLetter[],
  now: number,
): DeskInput {
  const fromLogs = signals.flatMap(({ source, event }) => {
    const draft = alertOf(event);
    return draft === undefined ? [] : [{ source, at: event.at, draft }];
  });
  return {
    drafts: [...fromLogs, ...dead.map(({ source, at, draft }) => ({ source, at, draft }))],
    endedRuns: signals.flatMap(({ event }) => (event.type === "run.finished" ? [event.runId] : [])),
    now,
  };
}

function eventOf(alert: Alert, at: number): EventOf<"alert"> {
  const { id, name, status, severity, message, count, runId, traceId } = alert;
  const of = runId === undefined ? {} : { runId: asRunId(runId) };
  const traced = traceId === undefined ? {} : { traceId };
  return { type: "alert", at, severity, message, id, name, status, count, ...of, ...traced };
}
