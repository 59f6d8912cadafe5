/**
 * The degradation ladder of one refused step (BU-17): which rungs it may come to, and how long a task stays on the one that held.
 *
 * L1. Rungs come in one order, each once per step: an answer given before, then a cheaper model. A simpler flow is the run's.
 * L2. A rung that may not be tried is named with its reason: what was not done is as visible as what was.
 * L3. A task that fell back stays there for a while before it asks for what it wanted again, each time longer: a budget that is
 *     nearly spent, or a provider that flaps, must not cost a refusal with every step.
 */
import type { EnvelopeTerms, LadderRung } from "@bridle/protocol";
import { ladderRungs } from "@bridle/protocol";

export interface RefusedStep {
  /** `own_breaker`: of the agent or the run itself, which another model would meet as well. */
  readonly refusedBy: "budget" | "provider" | "own_breaker";
  /** What a budget refusal may enter (BU-9). */
  readonly onTrip: EnvelopeTerms["onTrip"];
  /** The step says that an answer given before will do. */
  readonly isCacheable: boolean;
  /** Whether its model names a cheaper one. */
  readonly hasCheaper: boolean;
  /** False forbids another model than the one asked for. */
  readonly allowModelFallback: boolean;
}

export interface RungPlan {
  readonly rung: LadderRung;
  /** Why it is not tried; absent when it is. */
  readonly unavailable?: string | undefined;
}

export function planLadder(step: RefusedStep): readonly RungPlan[] {
  return ladderRungs.map((rung) => {
    const unavailable = closedTo(step, rung) ?? reasons[rung](step);
    return unavailable === undefined ? { rung } : { rung, unavailable };
  });
}

/** BU-9: what the author keeps the credit remainder for. */
function closedTo({ refusedBy, onTrip }: RefusedStep, rung: LadderRung): string | undefined {
  if (refusedBy !== "budget" || onTrip === "ladder" || onTrip === rung) return undefined;
  return `budget.onTrip is ${onTrip}`;
}

const reasons: Readonly<Record<LadderRung, (step: RefusedStep) => string | undefined>> = {
  cache: ({ isCacheable }) => (isCacheable ? undefined : "the call is not marked cacheable"),
  cheaper: (step) => {
    if (!step.hasCheaper) return "the model names no cheaper one";
    if (!step.allowModelFallback) return "allowModelFallback is false";
    return step.refusedBy === "own_breaker"
      ? "the open breaker is not a model's, so another model would meet it too"
      : undefined;
  },
};

/** How long a task stays on its rung. Plain JSON. */
export interface RungStay {
  readonly stayMs: number;
  readonly untilMs: number;
}

/** Twice a breaker's first cooldown (BR-11): one probe round of whoever else asks is over by then. */
export const firstStayMs = 60_000;
/** The longest cooldown of a breaker. */
export const longestStayMs = 600_000;

/** The stay after falling back at `nowMs`; `before`: the stay that has just run out, if any. */
export function fallBack(before: RungStay | undefined, nowMs: number): RungStay {
  const stayMs = before === undefined ? firstStayMs : Math.min(before.stayMs * 2, longestStayMs);
  return { stayMs, untilMs: nowMs + stayMs };
}

/** Whether the next step begins on the rung instead of asking for what it wants. */
export function staysOnRung(stay: RungStay | undefined, nowMs: number): boolean {
  return stay !== undefined && nowMs < stay.untilMs;
}
