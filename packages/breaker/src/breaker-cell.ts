/**
 * The state machine behind one key. Pure: time and chance come in, transitions go out through `report`.
 *
 * 1. The state is a function of time and of what was recorded, never of how often anybody asked: each call first makes
 *    every transition that fell due before it, dated when it fell due (BR-8, BR-9).
 * 2. Every transition raises the generation; a result of an older one is late and has no effect (BR-6).
 * 3. HALF_OPEN judges by its probes alone: the window, the minimum and the triggers are not consulted (BR-8).
 * 4. Evidence is fed only while CLOSED, and is empty when CLOSED begins; the burn baseline alone survives (BR-4, BR-8).
 * 5. Nothing here waits: reading a state and writing it back are one synchronous turn, and the state is set before its
 *    transition is reported (GC-2).
 */
import type { Random } from "@bridle/kernel";

import type { BreakerSettings } from "./breaker-settings.ts";
import type { CellEnd, CellPermit, CellRefusal, RefusalReason, Transition } from "./cell-types.ts";
import { cooldownMs } from "./cooldown-ms.ts";
import { Evidence } from "./evidence.ts";
import type { EvidenceOptions } from "./evidence.ts";
import { ProbeSlots } from "./probe-slots.ts";
import type { TriggerHit } from "./trigger.ts";

/** How soon to ask again where all probes are out: as often as every other poll. Their outcome may come any moment. */
const probesTakenRetryMs = 2000;

type CellState =
  | { readonly name: "CLOSED"; readonly sinceMs: number }
  | { readonly name: "OPEN"; readonly sinceMs: number; readonly untilMs: number }
  | { readonly name: "HALF_OPEN"; readonly sinceMs: number; readonly probes: ProbeSlots };

export interface CellOptions extends EvidenceOptions {
  readonly random: Random;
  /** Contract: called within the turn, after the state is set; only stores what it is given. */
  readonly report: (transition: Transition) => void;
}

export class BreakerCell {
  readonly evidence: Evidence;
  readonly #settings: BreakerSettings;
  readonly #random: Random;
  readonly #report: (transition: Transition) => void;
  #state: CellState = { name: "CLOSED", sinceMs: Number.NEGATIVE_INFINITY };
  /** One object for all calls of a closed period, another after every transition: who still holds it, is current. */
  #callPermit: CellPermit = { admitted: true, generation: 0, kind: "call", probe: 0 };
  #openCount = 0;
  #lastCooldownMs = 0;
  /** Until when a server asked to be left alone. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #isBurning = false;
  #late = 0;

  constructor(options: CellOptions) {
    this.evidence = new Evidence(options);
    this.#settings = options.settings;
    this.#random = options.random;
    this.#report = options.report;
  }

  get state(): CellState["name"] {
    return this.#state.name;
  }

  get sinceMs(): number {
    return this.#state.sinceMs;
  }

  /** Openings since it last proved itself by staying CLOSED for its last cooldown. */
  get openCount(): number {
    return this.#openCount;
  }

  /** Results that came for an older generation. */
  get late(): number {
    return this.#late;
  }

  /** When the next transition falls due by itself, in monotonic ms. */
  get dueMs(): number | undefined {
    if (this.#state.name === "OPEN") return this.#state.untilMs;
    return this.#state.name === "HALF_OPEN" ? this.#state.probes.firstLapseMs : undefined;
  }

  /** Whether `acquire` would give this permit again: it is of a closed period, and that lasts. */
  isStillGiven(permit: CellPermit): boolean {
    return permit === this.#callPermit;
  }

  /** Makes the transitions that have fallen due. */
  advance(nowMs: number): void {
    for (let due = this.dueMs; due !== undefined && due <= nowMs; due = this.dueMs) {
      if (this.#state.name === "OPEN") this.beginHalfOpen(due);
      else this.#probeFailed("probe_lapsed", { leaseMs: this.#settings.probeLease }, due);
    }
  }

  /** Whether a call would be admitted; takes nothing. */
  check(nowMs: number): CellPermit | CellRefusal {
    return this.#answer(nowMs, false);
  }

  /** Takes leave for one call. It must end in `record`; the verdict `ignored` gives it back. */
  acquire(nowMs: number): CellPermit | CellRefusal {
    return this.#answer(nowMs, true);
  }

  /** The right to report, later, a failure that was no call of its own: a stall, a task timeout. */
  observe(nowMs: number): CellPermit {
    this.advance(nowMs);
    return { ...this.#callPermit, kind: "observation" };
  }

  /** Ends a permit. One of an older generation, or of a probe that has ended, is late: no effect. */
  record(permit: CellPermit, end: CellEnd): void {
    if (!this.#isCurrent(permit, end.atMs)) return;
    this.#noteRetryAfter(end);
    if (this.#state.name === "HALF_OPEN") return this.#recordProbe(permit, end);
    this.#count(end);
    const hits = this.evidence.hits(end.atMs);
    if (hits.length > 0) this.#open(end.atMs, hits);
  }

  /** `record` of a good call by the shortest way; false, and nothing is done, where it must go the long one. */
  countGood(permit: CellPermit, atMs: number, tokens: number, envelopeTokens?: number): boolean {
    if (permit !== this.#callPermit) return false;
    const hits = this.evidence.countGood(atMs, tokens, envelopeTokens);
    if (hits !== undefined && hits.length > 0) this.#open(atMs, hits);
    return hits !== undefined;
  }

  /** Counts an outcome without drawing the consequence: an operator holds the breaker closed. */
  tally(permit: CellPermit, end: CellEnd): void {
    if (this.#isCurrent(permit, end.atMs)) this.#count(end);
  }

  /** Keeps a probe's lease; for any other permit only says whether its outcome still counts. */
  renew(permit: CellPermit, nowMs: number): boolean {
    this.advance(nowMs);
    if (permit.generation !== this.#callPermit.generation) return false;
    if (permit.kind !== "probe" || this.#state.name !== "HALF_OPEN") return true;
    return this.#state.probes.renew(permit.probe, nowMs);
  }

  /** CLOSED with nothing held against it. Silent: whoever restarts it tells. */
  restart(atMs: number): void {
    this.evidence.clear();
    this.#openCount = 0;
    this.#lastCooldownMs = 0;
    this.#enterClosed(atMs);
  }

  beginHalfOpen(atMs: number): void {
    const { halfOpenMaxRequests, probeLease } = this.#settings;
    const probes = new ProbeSlots({ size: halfOpenMaxRequests, leaseMs: probeLease });
    this.#enter({ name: "HALF_OPEN", sinceMs: atMs, probes });
    this.#report({ type: "half_opened", atMs });
  }

  #answer(nowMs: number, take: boolean): CellPermit | CellRefusal {
    this.advance(nowMs);
    if (this.#state.name === "CLOSED") return this.#callPermit;
    if (this.#state.name === "OPEN") return refusal("open", this.#state.untilMs - nowMs);
    const { probes } = this.#state;
    if (!probes.hasFree) return refusal("probes_taken", probesTakenRetryMs);
    return { ...this.#callPermit, kind: "probe", probe: take ? probes.take(nowMs) : 0 };
  }

  #isCurrent(permit: CellPermit, nowMs: number): boolean {
    this.advance(nowMs);
    const isCurrent =
      permit.generation === this.#callPermit.generation && this.#state.name !== "OPEN";
    if (!isCurrent) this.#late += 1;
    return isCurrent;
  }

  #noteRetryAfter(end: CellEnd): void {
    if (end.verdict !== "failure" || end.retryAfterMs <= 0) return;
    this.#notBeforeMs = Math.max(this.#notBeforeMs, end.atMs + end.retryAfterMs);
  }

  #count(end: CellEnd): void {
    this.evidence.roll(end.atMs, true);
    this.evidence.observe(end);
  }

  #recordProbe(permit: CellPermit, end: CellEnd): void {
    if (this.#state.name !== "HALF_OPEN") return;
    const { probes } = this.#state;
    if (permit.kind === "probe" && !probes.giveBack(permit.probe)) {
      this.#late += 1;
      return;
    }
    const failure = this.#probeFailure(permit, end);
    if (failure !== undefined)
      return this.#probeFailed("probe_failed", { kind: failure }, end.atMs);
    if (permit.kind !== "probe" || end.verdict === "ignored") return;
    probes.succeeded();
    if (probes.haveAllSucceeded) this.#close(end.atMs);
  }

  /** BR-10: what a probe must show to count as a success. */
  #probeFailure(permit: CellPermit, end: CellEnd): string | undefined {
    if (end.verdict === "failure") return end.failureKind ?? "failure";
    if (permit.kind !== "probe" || end.verdict === "ignored") return undefined;
    if (!end.completedProgress) return "no_completed_progress";
    const isBurning = this.#isBurning && end.tokens > this.evidence.probeTokenLimit;
    return isBurning ? "still_burning" : undefined;
  }

  #probeFailed(
    trigger: "probe_failed" | "probe_lapsed",
    figures: TriggerHit["figures"],
    atMs: number,
  ): void {
    this.#open(atMs, [{ trigger, figures }]);
  }

  #open(atMs: number, hits: readonly TriggerHit[]): void {
    if (this.#state.name === "CLOSED" && atMs - this.#state.sinceMs >= this.#lastCooldownMs) {
      this.#openCount = 0;
    }
    this.#openCount += 1;
    this.#lastCooldownMs = cooldownMs({
      settings: this.#settings,
      openCount: this.#openCount,
      chance: this.#random.next(),
      retryAfterMs: Math.max(0, this.#notBeforeMs - atMs),
    });
    this.#isBurning ||= hits.some(({ trigger }) => trigger.startsWith("burn"));
    const { totals } = this.evidence;
    this.#enter({ name: "OPEN", sinceMs: atMs, untilMs: atMs + this.#lastCooldownMs });
    const openCount = this.#openCount;
    this.#report({
      type: "opened",
      atMs,
      hits,
      totals,
      cooldownMs: this.#lastCooldownMs,
      openCount,
    });
  }

  #close(atMs: number): void {
    this.evidence.clear();
    this.evidence.beginProbation();
    this.#enterClosed(atMs);
    this.#report({ type: "closed", atMs });
  }

  #enterClosed(atMs: number): void {
    this.#isBurning = false;
    this.#notBeforeMs = Number.NEGATIVE_INFINITY;
    this.#enter({ name: "CLOSED", sinceMs: atMs });
  }

  #enter(state: CellState): void {
    this.#state = state;
    this.#callPermit = { ...this.#callPermit, generation: this.#callPermit.generation + 1 };
  }
}

function refusal(reason: RefusalReason, retryAfterMs: number): CellRefusal {
  return { admitted: false, reason, retryAfterMs: Math.max(1, Math.ceil(retryAfterMs)) };
}
