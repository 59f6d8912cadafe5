import { RingBuffer } from "@bridle/kernel";
import { rangeFault, watchdogRanges } from "@bridle/protocol";

import { CompletedDurations } from "./completed-durations.ts";

export type TimedKind = "llm" | "tool";

interface Bounds {
  readonly leastMs: number;
  readonly mostMs: number;
  readonly marginMs: number;
}

/** WD-8. The margin of tools is 5 s because 30 s would always exceed their clamp. */
const bounds: Readonly<Record<TimedKind, Bounds>> = {
  llm: { leastMs: 60_000, mostMs: 120_000, marginMs: 30_000 },
  tool: { leastMs: 10_000, mostMs: 30_000, marginMs: 5_000 },
};

const leastSamples = 100;
const recentCalls = 100;
const mostTimeoutShare = 0.05;
const raiseFactor = 1.5;

export interface StepTimeout {
  readonly timeoutMs: number;
  /** Computed, so it gets slack (WD-11). */
  readonly adaptive: boolean;
}

export interface FinishedCall {
  readonly kind: TimedKind;
  /** The tool or model. */
  readonly key: string;
  readonly durationMs: number;
  readonly outcome: "completed" | "timed_out" | "other";
}

/** Becomes the event `timeout.raised`. */
export interface TimeoutRaise {
  readonly kind: TimedKind;
  readonly key: string;
  readonly timeoutMs: number;
}

export interface StepTimeoutsOptions {
  /** Of the P95, 3 to 5. */
  readonly multiplier?: number | undefined;
  /** Another upper end of the clamp; also what holds before there are samples. At least 1 ms. */
  readonly mostMs?: Partial<Readonly<Record<TimedKind, number | undefined>>> | undefined;
}

/** An upper end below the lower one moves that, too. */
function boundsUpTo(usual: Bounds, mostMs: number = usual.mostMs): Bounds {
  if (!Number.isFinite(mostMs) || mostMs < 1) {
    throw new RangeError(`A step timeout's upper end must be at least 1 ms, not ${mostMs}.`);
  }
  return { ...usual, mostMs, leastMs: Math.min(usual.leastMs, mostMs) };
}

class KeyHistory {
  readonly durations = new CompletedDurations(1000);
  readonly recent = new RingBuffer<boolean>(recentCalls);
  recentTimeouts = 0;
  isRaised = false;
}

/**
 * Step timeouts that follow what calls of a tool or model really take (WD-8).
 *
 * ST-1 Only calls that completed are samples. Without that and the clamp a timeout feeds on the calls it let run
 *      longer (measured: 9.5 * 10^7 s after a day).
 * ST-2 Each key is raised at most once, and never beyond the clamp.
 */
export class StepTimeouts {
  readonly #histories: Readonly<Record<TimedKind, Map<string, KeyHistory>>> = {
    llm: new Map(),
    tool: new Map(),
  };
  readonly #multiplier: number;
  readonly #bounds: Readonly<Record<TimedKind, Bounds>>;

  constructor({ multiplier = 3, mostMs = {} }: StepTimeoutsOptions = {}) {
    const expected = rangeFault(multiplier, watchdogRanges.stepTimeoutMultiplier);
    if (expected !== undefined) {
      throw new RangeError(`The multiplier of the P95 must be ${expected}, not ${multiplier}.`);
    }
    this.#multiplier = multiplier;
    this.#bounds = {
      llm: boundsUpTo(bounds.llm, mostMs.llm),
      tool: boundsUpTo(bounds.tool, mostMs.tool),
    };
  }

  /** An explicit timeout is taken as it is. */
  timeoutOf(kind: TimedKind, key: string, explicitMs?: number): StepTimeout {
    if (explicitMs !== undefined) return { timeoutMs: explicitMs, adaptive: false };
    const history = this.#histories[kind].get(key);
    return { timeoutMs: this.#adaptiveMs(kind, history), adaptive: true };
  }

  /** Learns from a finished call; returns the raise when this call brought one. */
  record(call: FinishedCall): TimeoutRaise | undefined {
    const history = this.#historyOf(call);
    if (call.outcome === "other") return undefined;
    const isTimeout = call.outcome === "timed_out";
    if (!isTimeout) history.durations.add(call.durationMs);
    const evicted = history.recent.push(isTimeout);
    history.recentTimeouts += (isTimeout ? 1 : 0) - (evicted === true ? 1 : 0);
    return this.#raise(call, history);
  }

  #raise({ kind, key }: FinishedCall, history: KeyHistory): TimeoutRaise | undefined {
    const isOften =
      history.recent.size === recentCalls &&
      history.recentTimeouts > mostTimeoutShare * recentCalls;
    if (history.isRaised || !isOften) return undefined;
    const beforeMs = this.#adaptiveMs(kind, history);
    history.isRaised = true;
    const timeoutMs = this.#adaptiveMs(kind, history);
    if (timeoutMs > beforeMs) return { kind, key, timeoutMs };
    history.isRaised = false;
    return undefined;
  }

  #adaptiveMs(kind: TimedKind, history: KeyHistory | undefined): number {
    const { leastMs, mostMs, marginMs } = this.#bounds[kind];
    if (history === undefined || history.durations.size < leastSamples) return mostMs;
    const p95 = history.durations.percentile(0.95);
    const wantedMs = Math.max(this.#multiplier * p95, p95 + marginMs);
    const clampedMs = Math.min(Math.max(wantedMs, leastMs), mostMs);
    return history.isRaised ? Math.min(clampedMs * raiseFactor, mostMs) : clampedMs;
  }

  #historyOf({ kind, key }: FinishedCall): KeyHistory {
    const known = this.#histories[kind].get(key);
    if (known !== undefined) return known;
    const fresh = new KeyHistory();
    this.#histories[kind].set(key, fresh);
    return fresh;
  }
}
