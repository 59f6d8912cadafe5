/**
 * One model step of an attempt: the call, and what stands in for it when a guard refuses.
 *
 * R1. Entered on a refusal by the budget and on one by a breaker, with no target of the model's chain left (BU-17). A call that
 *     failed for another reason does not enter: retries and fallbacks of the call layer are its recovery.
 * R2. Each rung is tried at most once per step, in one order, and asks the guards itself: a cheaper model has a hold at its own price
 *     and a permit of its own breaker, a cached answer needs neither.
 * R3. Each rung that was come to is in the journal with what became of it; what held is told in `degraded`.
 * R4. When no rung holds the step fails: a budget refusal as `budget_exhausted_degraded`, a breaker's as itself, so that the task
 *     parks; both with every rung's reason.
 * R5. A task that fell back begins its next steps there for a while (L3 of the budget's ladder). What it wanted is then asked last.
 */
import { fallBack, planLadder, staysOnRung } from "@bridle/budget";
import type { RungPlan, RungStay } from "@bridle/budget";
import type { CodedError } from "@bridle/kernel";
import type { ModelCallResult, ModelPlan } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import type { EventOf, LadderRung, ModelRequest } from "@bridle/protocol";

import type { Question } from "./answer-cache.ts";
import type { Asking, GivenAnswer } from "./given-answer.ts";
import { askOnce, storedAnswer } from "./given-answer.ts";
import { ladderRefusalOf, rungRefusal } from "./ladder-refusal.ts";
import type { LadderRefusal } from "./ladder-refusal.ts";

interface RungTold {
  readonly rung: LadderRung;
  readonly outcome: EventOf<"task.degraded">["outcome"];
  readonly reason: string;
}

/** Where a task stays; one per attempt. */
export interface LadderMemory {
  stay: RungStay | undefined;
}

export interface LadderStep extends Asking {
  readonly request: ModelRequest;
  /** Undefined: no such model; the call says so. */
  readonly plan: ModelPlan | undefined;
  readonly onTrip: "ladder" | "cache" | "nothing";
  readonly allowModelFallback: boolean;
  readonly tenant: string | undefined;
  readonly memory: LadderMemory;
  /** R2. Of the step, however often its call is made: what became of the rungs, once they were come to. */
  readonly once: { told: readonly RungTold[] | undefined };
  readonly nowMs: () => number;
  /** One call of the call layer. `isLadder`: it may use what is left after a trip (BU-9). */
  readonly call: (model: string, isLadder: boolean) => Promise<ModelCallResult>;
  /** A rung was come to. */
  readonly onRung: (told: RungTold) => void;
}

export type LadderAnswer = GivenAnswer;

export async function climbLadder(step: LadderStep): Promise<LadderAnswer> {
  const question = questionOf(step);
  const climb = async (): Promise<LadderAnswer> => new Climb(step, question).answer();
  if (question === undefined) return climb();
  return step.request.cache === "prefer"
    ? askOnce(step, question, climb)
    : step.cache.lead(question, climb);
}

/** Undefined: the call does not say that an answer given before will do, or names no model. */
function questionOf({
  plan,
  request,
  tenant,
  allowModelFallback,
}: LadderStep): Question | undefined {
  if (plan === undefined || request.cache === undefined) return undefined;
  const targets = allowModelFallback ? plan.targets : plan.targets.slice(0, 1);
  return { targets, request, tenant };
}

/** The call of one step with its rungs. */
class Climb {
  readonly #step: LadderStep;
  readonly #question: Question | undefined;
  #told: RungTold[] = [];

  constructor(step: LadderStep, question: Question | undefined) {
    this.#step = step;
    this.#question = question;
  }

  async answer(): Promise<LadderAnswer> {
    const { memory, nowMs } = this.#step;
    if (!staysOnRung(memory.stay, nowMs())) return this.#fromWanted();
    const held = await this.#climb(this.#plan("provider"));
    return held ?? this.#wanted().catch((error: unknown) => this.#rethrow(error));
  }

  async #fromWanted(): Promise<LadderAnswer> {
    const { memory } = this.#step;
    try {
      const result = await this.#wanted();
      memory.stay = undefined;
      return result;
    } catch (error) {
      const refusal = ladderRefusalOf(error);
      const held = refusal && (await this.#climb(this.#plan(refusal.refusedBy)));
      return held ?? this.#rethrow(error);
    }
  }

  async #wanted(): Promise<LadderAnswer> {
    return this.#step.call(this.#step.request.model, false);
  }

  #plan(refusedBy: LadderRefusal["refusedBy"]): readonly RungPlan[] {
    const { plan, onTrip, allowModelFallback } = this.#step;
    const hasCheaper = plan?.cheaper !== undefined;
    const isCacheable = this.#question !== undefined;
    return planLadder({ refusedBy, onTrip, isCacheable, hasCheaper, allowModelFallback });
  }

  async #climb(plan: readonly RungPlan[]): Promise<LadderAnswer | undefined> {
    const { once } = this.#step;
    if (once.told !== undefined) {
      this.#told = [...once.told];
      return undefined;
    }
    once.told = this.#told;
    // An author who has given the ladder nothing is not told with each refusal that it has nothing.
    if (plan.every(({ unavailable }) => unavailable !== undefined)) {
      for (const { rung, unavailable } of plan) this.#note(rung, "unavailable", unavailable ?? "");
      return undefined;
    }
    for (const { rung, unavailable } of plan) {
      if (unavailable !== undefined) this.#tell(rung, "unavailable", unavailable);
      else {
        // oxlint-disable-next-line no-await-in-loop -- a rung is come to when the one before did not hold
        const held = await this.#try(rung);
        if (held !== undefined) return held;
      }
    }
    return undefined;
  }

  async #try(rung: LadderRung): Promise<LadderAnswer | undefined> {
    return rung === "cache" ? this.#fromCache() : this.#fromCheaper();
  }

  async #fromCache(): Promise<LadderAnswer | undefined> {
    const wanted = this.#wantedTarget();
    const found = this.#question && (await storedAnswer(this.#step, this.#question));
    if (found === undefined) {
      this.#tell("cache", "refused", "no answer to this question was kept");
      return undefined;
    }
    this.#tell("cache", "taken", `an answer given before stands in for a call to ${wanted}`);
    return { ...found, degraded: [...found.degraded, `cache instead of ${wanted}`] };
  }

  async #fromCheaper(): Promise<LadderAnswer | undefined> {
    const { plan, call, memory, nowMs } = this.#step;
    try {
      const { response, degraded } = await call(plan?.cheaper ?? "", true);
      if (!staysOnRung(memory.stay, nowMs())) memory.stay = fallBack(memory.stay, nowMs());
      const instead = `model:${response.servedBy} instead of ${this.#wantedTarget()}`;
      this.#tell("cheaper", "taken", instead);
      return { response, degraded: [...degraded, instead] };
    } catch (error) {
      const reason = rungRefusal(error);
      if (reason === undefined) throw error;
      this.#tell("cheaper", "refused", reason);
      return undefined;
    }
  }

  #wantedTarget(): string {
    const { plan, request } = this.#step;
    return plan?.targets[0] ?? request.model;
  }

  #tell(rung: LadderRung, outcome: RungTold["outcome"], reason: string): void {
    this.#note(rung, outcome, reason);
    this.#step.onRung({ rung, outcome, reason });
  }

  #note(rung: LadderRung, outcome: RungTold["outcome"], reason: string): void {
    this.#told.push({ rung, outcome, reason });
  }

  /** R4. */
  #rethrow(error: unknown): never {
    const refusal = ladderRefusalOf(error);
    throw refusal === undefined ? error : spentError(refusal, this.#step.onTrip, this.#told);
  }
}

/** With `onTrip: nothing` there was no ladder for a budget refusal: it stays what it was. */
function spentError(
  { refusedBy, error }: LadderRefusal,
  onTrip: LadderStep["onTrip"],
  rungs: readonly RungTold[],
): CodedError {
  if (refusedBy === "budget" && onTrip === "nothing") return error;
  const details = { ...error.details, rungs };
  if (refusedBy !== "budget")
    return bridleError("breaker_open", { message: error.message, details });
  const why = rungs.map(({ rung, reason }) => `${rung}: ${reason}`).join("; ");
  const message = `The budget is exhausted, and the step was degraded as far as possible (${why}). ${error.message}`;
  return bridleError("budget_exhausted_degraded", { message, details });
}
