/**
 * All breakers of one process, asked together. Owns who is asked and what a permit holds; each decision is its cell's.
 *
 * 1. `acquire` takes every key or none, in one synchronous turn; what was taken before a refusal is rolled back (BR-13).
 * 2. States are set before their events leave, one event per transition, in order (GC-2, GC-4). An `emit` that throws
 *    or that asks this set again disturbs nothing.
 * 3. A permit ends once. Outcomes are told per tier; an umbrella is told with the name of who failed (BR-13, BR-14).
 * 4. Above `maxKeys`, keys idle for an hour are forgotten: never one with calls in flight, a forced state, or a cooldown
 *    still running.
 * 5. Half-open probes are limited per set, that is per process: a fleet of N admits N times two. Sharing them is the
 *    store's business.
 */
import type { Clock } from "@bridle/kernel";

import type { BreakerEntry, BreakerView } from "./breaker-entry.ts";
import { BreakerRegistry } from "./breaker-registry.ts";
import type {
  BreakerAdmission,
  BreakerCheck,
  BreakerRefusal,
  BreakerSetOptions,
  GuardMode,
  PermitFacts,
  TaskWatch,
} from "./breaker-set-types.ts";
import type { BreakerOverrides } from "./breaker-settings.ts";
import type { CellPermit, CellRefusal, Forcing, Operator } from "./cell-types.ts";
import { cellEnd, HeldPermit } from "./held-permit.ts";
import type { Holding, HoldingEnds, PermitHome } from "./held-permit.ts";
import { Route } from "./route.ts";
import { TransitionTeller } from "./transition-teller.ts";

/** A slot below the cap is free as soon as any call ends, so asking again soon is right. */
const capRefusal: CellRefusal = { admitted: false, reason: "in_flight_cap", retryAfterMs: 1000 };
/** Of a call that only goes because nothing is enforced: its outcome is no evidence. */
const notJudged: CellPermit = { admitted: true, generation: -1, kind: "unjudged", probe: 0 };
const nobody = new Route([]);

export class BreakerSet {
  readonly #clock: Clock;
  readonly #mode: GuardMode;
  readonly #registry: BreakerRegistry;
  readonly #teller: TransitionTeller;
  readonly #home: PermitHome;

  /** @throws CodedError `config_invalid` naming every bad setting. */
  constructor(options: BreakerSetOptions) {
    const { clock, emit, bootId, mode = "enforce" } = options;
    this.#clock = clock;
    this.#mode = mode;
    this.#registry = new BreakerRegistry(options);
    this.#teller = new TransitionTeller({ clock, emit, bootId, isEnforced: mode === "enforce" });
    this.#home = {
      finishGood: (holdings, facts) => this.#finishGood(holdings, facts),
      finish: (holdings, ends) => this.#finish(holdings, ends),
      renew: (holdings) => this.#renew(holdings),
    };
  }

  /** Times `emit` threw. */
  get emitFailures(): number {
    return this.#teller.failures;
  }

  /** Keys known now. */
  get size(): number {
    return this.#registry.size;
  }

  /**
   * Gives the breaker of one key settings of its own, over the set's, before its first use. A breaker that is known keeps
   * the settings it has: changing them would forget what is held against it.
   * @throws CodedError `config_invalid` naming every bad setting, `request_invalid` for what is no key.
   */
  prepare(key: string, settings: BreakerOverrides): void {
    if (this.#mode !== "off") this.#registry.prepare(key, settings, this.#clock.monotonicMs());
  }

  /** Asks without taking: what comes before money is reserved (GC-5). The narrowest refusal answers (B5). */
  check(keys: readonly string[]): BreakerCheck {
    return this.#ask(keys, true);
  }

  /** As `check`, but nothing is counted: for who only wants to know whether to ask now. */
  peek(keys: readonly string[]): BreakerCheck {
    return this.#ask(keys, false);
  }

  #ask(keys: readonly string[], isCounted: boolean): BreakerCheck {
    const nowMs = this.#clock.monotonicMs();
    for (const { entry } of this.#route(keys, nowMs).asked) {
      const answer = entry.isFull ? capRefusal : entry.cell.check(nowMs);
      this.#teller.collect(entry, nowMs);
      if (this.#isBlocked(entry, answer)) return this.#refuse(entry, answer, isCounted);
    }
    this.#teller.flush();
    return { allowed: true };
  }

  /** Takes leave under every key, or nothing. The permit must end exactly once. */
  acquire(keys: readonly string[]): BreakerAdmission {
    // The everyday call: nothing has changed since the last one, so neither a clock nor a list is needed for it.
    const again = this.#registry.knownRoute(keys)?.takeAgain();
    if (again === undefined) return this.#acquire(keys);
    return new HeldPermit(this.#home, again, true);
  }

  #acquire(keys: readonly string[]): BreakerAdmission {
    const nowMs = this.#clock.monotonicMs();
    const route = this.#route(keys, nowMs);
    const holdings: Holding[] = [];
    for (const { entry, source } of route.asked) {
      const answer = entry.isFull ? capRefusal : entry.cell.acquire(nowMs);
      this.#teller.collect(entry, nowMs);
      if (this.#isBlocked(entry, answer)) {
        this.#finish(holdings, { outcome: "giveBack", facts: {}, isCall: true });
        return this.#refuse(entry, answer);
      }
      if (!answer.admitted) entry.counts.wouldRefuse += 1;
      entry.inFlight += 1;
      holdings.push({ entry, source, permit: answer.admitted ? answer : notJudged });
    }
    for (const { entry, permit } of holdings) {
      if (permit.kind === "probe") this.#teller.tellProbe(entry);
    }
    route.remember(holdings);
    this.#teller.flush();
    return new HeldPermit(this.#home, holdings, true);
  }

  /** Call when a task begins, with its agent key; end it with how the task ended (BR-14). */
  watchTask(keys: readonly string[]): TaskWatch {
    const nowMs = this.#clock.monotonicMs();
    const holdings = this.#route(keys, nowMs).asked.map(({ entry, source }) => {
      const permit = entry.cell.observe(nowMs);
      this.#teller.collect(entry, nowMs);
      return { entry, permit, source };
    });
    this.#teller.flush();
    return new HeldPermit(this.#home, holdings, false);
  }

  /** Counts a step that made no call: apart, never in the window (BR-7). */
  note(keys: readonly string[], what: "budgetRefused" | "cached"): void {
    const nowMs = this.#clock.monotonicMs();
    for (const { entry } of this.#route(keys, nowMs).asked) entry.counts[what] += 1;
  }

  /** BR-12: holds a breaker in a state until it expires or is reset. */
  force(key: string, forcing: Forcing): void {
    this.#operate(key, (entry, nowMs) => entry.cell.force(forcing, nowMs));
  }

  /** Closes it and forgets what was held against it (B9). */
  reset(key: string, by: Operator): void {
    this.#operate(key, (entry, nowMs) => entry.cell.reset(by, nowMs));
  }

  /** Every breaker known, as it stands now, also when nobody has asked since its cooldown ended (B082). */
  view(): readonly BreakerView[] {
    const nowMs = this.#clock.monotonicMs();
    const wallMs = this.#clock.wallMs();
    const views = this.#registry.all().map((entry) => {
      const view = entry.view(nowMs, wallMs);
      this.#teller.collect(entry, nowMs);
      return view;
    });
    this.#teller.flush();
    return views;
  }

  /** Cancels every timer, so that nothing keeps the process alive. Permits still out may end as usual. */
  close(): void {
    this.#teller.close(this.#registry.all());
  }

  #route(keys: readonly string[], nowMs: number): Route {
    return this.#mode === "off" ? nobody : this.#registry.route(keys, nowMs);
  }

  #isBlocked(entry: BreakerEntry, answer: CellPermit | CellRefusal): answer is CellRefusal {
    return !answer.admitted && this.#mode === "enforce" && entry.cell.isEnforced;
  }

  #refuse(
    entry: BreakerEntry,
    { reason, retryAfterMs }: CellRefusal,
    isCounted = true,
  ): BreakerRefusal {
    if (isCounted) entry.counts.refused += 1;
    this.#teller.flush();
    const { key, tier } = entry.parsed;
    return { allowed: false, key, tier, reason, retryAfterMs };
  }

  #finish(holdings: readonly Holding[], ends: HoldingEnds): void {
    const nowMs = this.#clock.monotonicMs();
    for (const holding of holdings) this.#finishOne(holding, ends, nowMs);
    this.#teller.flush();
  }

  /** The everyday end, and so kept small enough to be compiled as one: nothing is built, and hardly ever is there news. */
  #finishGood(holdings: readonly Holding[], facts: PermitFacts): void {
    const nowMs = this.#clock.monotonicMs();
    const tokens = Math.round(facts.tokens ?? 0);
    // By index: iterators over the handful of breakers cost a twentieth of the whole call.
    for (let index = 0; index < holdings.length; index += 1) {
      const holding = holdings[index];
      if (holding === undefined) return;
      const { entry, permit } = holding;
      if (entry.cell.countGood(permit, nowMs, tokens, facts.envelopeTokens)) {
        entry.inFlight -= 1;
        entry.lastUsedMs = nowMs;
        if (entry.cell.hasNews) this.#teller.collect(entry, nowMs, facts.traceId);
      } else this.#finishOne(holding, { outcome: "success", facts, isCall: true }, nowMs);
    }
    this.#teller.flush();
  }

  #finishOne(holding: Holding, ends: HoldingEnds, nowMs: number): void {
    const { entry, permit } = holding;
    const end = cellEnd(holding, ends, nowMs);
    if (ends.isCall) entry.inFlight -= 1;
    if (ends.isCall && end.verdict === "ignored") entry.counts.givenBack += 1;
    entry.lastUsedMs = nowMs;
    entry.cell.record(permit, end);
    this.#teller.collect(entry, nowMs, ends.facts.traceId);
  }

  #renew(holdings: readonly Holding[]): boolean {
    const nowMs = this.#clock.monotonicMs();
    const answers = holdings.map(({ entry, permit }) => {
      const isCurrent = entry.cell.renew(permit, nowMs);
      this.#teller.collect(entry, nowMs);
      return isCurrent;
    });
    this.#teller.flush();
    return answers.every(Boolean);
  }

  #operate(key: string, act: (entry: BreakerEntry, nowMs: number) => void): void {
    const nowMs = this.#clock.monotonicMs();
    const entry = this.#registry.entry(key, nowMs);
    act(entry, nowMs);
    this.#teller.collect(entry, nowMs);
    this.#teller.flush();
  }
}
