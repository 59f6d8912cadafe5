/**
 * A breaker that people may put their hand on (BR-12, B9): the state machine, and over it at most one forced state.
 *
 * 1. A forced state begins and ends with a machine that starts afresh, so nothing from before decides after it, and
 *    results of calls admitted before are late.
 * 2. It ends at its expiry, whoever asks next, or with a reset. The end of FORCED_OPEN is like the end of a cooldown:
 *    probed, not trusted.
 * 3. METRICS_ONLY decides as ever; its refusals and transitions say `isEnforced: false`.
 */
import { BreakerCell } from "./breaker-cell.ts";
import type { CellOptions } from "./breaker-cell.ts";
import type { BreakerSettings } from "./breaker-settings.ts";
import type {
  BreakerState,
  CellEnd,
  CellPermit,
  CellRefusal,
  Forcing,
  Operator,
  Transition,
} from "./cell-types.ts";

interface Override {
  readonly forcing: Forcing;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Admits a call whose outcome is not to be counted. */
const unjudged: CellPermit = { admitted: true, generation: -1, kind: "unjudged", probe: 0 };
const noTransitions: readonly Transition[] = [];

export class OperatedCell {
  readonly #cell: BreakerCell;
  readonly #settings: BreakerSettings;
  #override: Override | undefined;
  #transitions: Transition[] = [];

  constructor(options: Omit<CellOptions, "report">) {
    this.#settings = options.settings;
    this.#cell = new BreakerCell({ ...options, report: (transition) => this.#tell(transition) });
  }

  get machine(): Omit<BreakerCell, "record" | "countGood" | "tally" | "restart" | "beginHalfOpen"> {
    return this.#cell;
  }

  get state(): BreakerState {
    return this.#override?.forcing.state ?? this.#cell.state;
  }

  get sinceMs(): number {
    return this.#override?.sinceMs ?? this.#cell.sinceMs;
  }

  get forcing(): Forcing | undefined {
    return this.#override?.forcing;
  }

  /** False under METRICS_ONLY: count refusals, let calls go. */
  get isEnforced(): boolean {
    return this.#override?.forcing.state !== "METRICS_ONLY";
  }

  get dueMs(): number | undefined {
    const untilMs = this.#override?.untilMs;
    const dueMs = this.#cell.dueMs;
    if (untilMs === undefined || !Number.isFinite(untilMs)) return dueMs;
    return dueMs === undefined ? untilMs : Math.min(untilMs, dueMs);
  }

  /** Whether `acquire` would give this permit again, whatever the time, and change nothing. */
  isStillGiven(permit: CellPermit): boolean {
    return this.#override === undefined && this.#cell.isStillGiven(permit);
  }

  advance(nowMs: number): void {
    const override = this.#override;
    if (override !== undefined && override.untilMs <= nowMs) {
      this.#cell.advance(override.untilMs);
      this.#lift(override);
    }
    this.#cell.advance(nowMs);
  }

  check(nowMs: number): CellPermit | CellRefusal {
    this.advance(nowMs);
    return this.#forcedAnswer(nowMs) ?? this.#cell.check(nowMs);
  }

  acquire(nowMs: number): CellPermit | CellRefusal {
    this.advance(nowMs);
    return this.#forcedAnswer(nowMs) ?? this.#cell.acquire(nowMs);
  }

  observe(nowMs: number): CellPermit {
    this.advance(nowMs);
    return this.#cell.observe(nowMs);
  }

  /** `record` of a good call by the shortest way; false, and nothing is done, where it must go the long one. */
  countGood(permit: CellPermit, atMs: number, tokens: number, envelopeTokens?: number): boolean {
    return (
      this.#override === undefined && this.#cell.countGood(permit, atMs, tokens, envelopeTokens)
    );
  }

  record(permit: CellPermit, end: CellEnd): void {
    this.advance(end.atMs);
    if (permit.kind === "unjudged") return;
    const forced = this.#override?.forcing.state;
    if (forced === "FORCED_CLOSED") this.#cell.tally(permit, end);
    else if (forced !== "DISABLED") this.#cell.record(permit, end);
  }

  renew(permit: CellPermit, nowMs: number): boolean {
    this.advance(nowMs);
    return permit.kind === "unjudged" || this.#cell.renew(permit, nowMs);
  }

  force(forcing: Forcing, nowMs: number): void {
    this.advance(nowMs);
    const wasBlocking = this.#isBlocking();
    const { totals } = this.#cell.evidence;
    this.#cell.restart(nowMs);
    const untilMs = nowMs + (forcing.forMs ?? Number.POSITIVE_INFINITY);
    this.#override = { forcing, sinceMs: nowMs, untilMs };
    if (forcing.state === "FORCED_OPEN") {
      const cooldownMs = Math.round(forcing.forMs ?? this.#settings.cooldown);
      const hits = [{ trigger: "forced", figures: { ...operator(forcing) } }] as const;
      this.#tell({ type: "opened", atMs: nowMs, hits, totals, cooldownMs, openCount: 0 });
    } else if (wasBlocking) {
      this.#transitions.push({
        type: "closed",
        atMs: nowMs,
        isEnforced: true,
        by: operator(forcing),
      });
    }
  }

  /** CLOSED, nothing forced, nothing held against it. */
  reset(by: Operator, nowMs: number): void {
    this.advance(nowMs);
    const wasBlocking = this.#isBlocking();
    this.#override = undefined;
    this.#cell.restart(nowMs);
    if (wasBlocking) this.#tell({ type: "closed", atMs: nowMs, by: operator(by) });
  }

  /** Whether anything has changed since the last time. */
  get hasNews(): boolean {
    return this.#transitions.length > 0;
  }

  /** What has changed since the last time, in order. */
  drainTransitions(): readonly Transition[] {
    if (this.#transitions.length === 0) return noTransitions;
    const drained = this.#transitions;
    this.#transitions = [];
    return drained;
  }

  #forcedAnswer(nowMs: number): CellPermit | CellRefusal | undefined {
    const override = this.#override;
    if (override?.forcing.state === "DISABLED") return unjudged;
    if (override?.forcing.state !== "FORCED_OPEN") return undefined;
    const retryAfterMs = Math.ceil(Math.min(override.untilMs - nowMs, this.#settings.cooldown));
    return { admitted: false, reason: "forced_open", retryAfterMs };
  }

  #lift({ forcing, untilMs }: Override): void {
    this.#override = undefined;
    this.#cell.restart(untilMs);
    if (forcing.state === "FORCED_OPEN") this.#cell.beginHalfOpen(untilMs);
  }

  #isBlocking(): boolean {
    const forced = this.#override?.forcing.state;
    return forced === "FORCED_OPEN" || (forced === undefined && this.#cell.state !== "CLOSED");
  }

  #tell(transition: Transition): void {
    this.#transitions.push({ ...transition, isEnforced: this.isEnforced });
  }
}

function operator({ actor, reason }: Operator): Operator {
  return { actor, reason };
}
