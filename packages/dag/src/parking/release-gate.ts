/**
 * How fast tasks may leave the line behind one breaker (BR-18). Pure: times come in, wall ms.
 *
 * G1. `shut`: the breaker is open. Nothing leaves before `until`.
 * G2. `trial`: it is half open. Two leave, and two more whenever a while (30 s) passes in which it let no call out: whoever was released
 *     may never call the target, and must not hold the others for ever.
 * G3. `ramp`: it has closed. 2, 4, 8 … leave, a second apart; what comes late is not caught up on. The first refusal stops it.
 * G4. The latest word counts. A half-opening only ends a wait: it never slows a ramp down that another worker's close began.
 */
import { assertNever } from "@bridle/kernel";

import type { BreakerWord, RefusedWord } from "./parking-types.ts";

export type ReleaseGate =
  | { readonly phase: "shut"; readonly until: number; readonly next: "trial" | "ramp" }
  /** `owed`: how many may still leave of the two; `quietSince`: the last probe, or the last two that became owed. */
  | { readonly phase: "trial"; readonly owed: number; readonly quietSince: number }
  | { readonly phase: "ramp"; readonly size: number; readonly nextAt: number };

/** As many as a half-open breaker tries with (BR-8). */
const trialSize = 2;
const rampEveryMs = 1000;
/** Doubling beyond this changes nothing: the line is gone. */
const largestRamp = 65_536;

export function beginTrial(now: number): ReleaseGate {
  return { phase: "trial", owed: trialSize, quietSince: now };
}

export function beginRamp(now: number): ReleaseGate {
  return { phase: "ramp", size: trialSize, nextAt: now };
}

type Gate = ReleaseGate | undefined;

const afterWord: {
  readonly [Type in BreakerWord["type"]]: (
    gate: Gate,
    word: Extract<BreakerWord, { readonly type: Type }>,
    now: number,
  ) => Gate;
} = {
  refused: afterRefusal,
  opened: (_, { until }) => ({ phase: "shut", until, next: "trial" }),
  half_opened: (gate, _, now) => (gate?.phase === "shut" ? beginTrial(now) : gate),
  probed: (gate, _, now) => (gate?.phase === "trial" ? { ...gate, quietSince: now } : gate),
  closed: (gate, _, now) => (gate?.phase === "ramp" ? gate : beginRamp(now)),
};

/** The gate after a word; `undefined` before the first one. `now`: when it was heard. */
export function hearWord(gate: Gate, word: BreakerWord, now: number): Gate {
  // The table holds for each type what takes that type's word.
  const after = afterWord[word.type] as (gate: Gate, word: BreakerWord, now: number) => Gate;
  return after(gate, word, now);
}

function afterRefusal(gate: Gate, { reason, until }: RefusedWord, now: number): ReleaseGate {
  // Its slots are out: it is half open, and being tried.
  if (reason === "probes_taken") return { phase: "trial", owed: 0, quietSince: now };
  if (reason !== "in_flight_cap") return { phase: "shut", until, next: "trial" };
  // As many calls as it may have are out: no failure, but no time for more either.
  return gate === undefined || gate.phase === "ramp"
    ? { phase: "shut", until, next: "ramp" }
    : gate;
}

export interface GateAnswer {
  readonly gate: ReleaseGate;
  /** How many leave now, from the front of the line. */
  readonly count: number;
  /** When to ask again if nothing is heard meanwhile; undefined when nobody waits. */
  readonly nextAt: number | undefined;
}

export interface GateAsk {
  /** Tasks in the line. */
  readonly waiting: number;
  readonly now: number;
  readonly quietMs: number;
}

/** Lets go what may go. */
export function openGate(gate: ReleaseGate, ask: GateAsk): GateAnswer {
  const { waiting, now } = ask;
  switch (gate.phase) {
    case "shut": {
      if (now < gate.until) return { gate, count: 0, nextAt: wait(waiting, gate.until) };
      const next = gate.next === "trial" ? beginTrial(now) : beginRamp(now);
      return openGate(next, ask);
    }
    case "trial":
      return tryOut(gate, ask);
    case "ramp": {
      if (now < gate.nextAt) return { gate, count: 0, nextAt: wait(waiting, gate.nextAt) };
      const count = Math.min(gate.size, waiting);
      const nextAt = now + rampEveryMs;
      const size = Math.min(gate.size * 2, largestRamp);
      const next = count === 0 ? gate : ({ phase: "ramp", size, nextAt } as const);
      return { gate: next, count, nextAt: wait(waiting - count, nextAt) };
    }
    default:
      return assertNever(gate);
  }
}

function tryOut(
  gate: Extract<ReleaseGate, { phase: "trial" }>,
  { waiting, now, quietMs }: GateAsk,
): GateAnswer {
  const isQuiet = now - gate.quietSince >= quietMs;
  const { owed, quietSince } = isQuiet ? { owed: trialSize, quietSince: now } : gate;
  const count = Math.min(owed, waiting);
  // Quiet is counted from when they left: before that there was nobody to call.
  const next = {
    phase: "trial",
    owed: owed - count,
    quietSince: count > 0 ? now : quietSince,
  } as const;
  return { gate: next, count, nextAt: wait(waiting - count, next.quietSince + quietMs) };
}

function wait(waiting: number, at: number): number | undefined {
  return waiting > 0 ? at : undefined;
}
