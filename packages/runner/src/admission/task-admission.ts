/**
 * The one gate before every model call and every tool call of one attempt.
 *
 * A1. Order (GC-5): governor → breaker check → reservation → breaker permit → dispatch mark. When a later guard refuses, what the
 *     earlier ones gave is given back; a refusal leaves no trace but its journal entry.
 * A2. A call that was let out is settled exactly once, whatever happens to it: by whoever made it, or by `endAll` at best knowledge.
 *     Never at zero (BU-12, BU-20).
 * A3. A ledger that does not answer means no money: `budget_unavailable`, nothing is sent, no breaker hears of it (BU-21).
 * A4. After `stop` nothing is let out any more.
 * A5. What was set aside for the task as a whole is given back for its first reservation, which then takes its place.
 */
import { rateGovernedError } from "@bridle/breaker";
import type { BreakerRefusal, Permit } from "@bridle/breaker";
import { reservationFor } from "@bridle/budget";
import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { AdmissionParts } from "./admission-parts.ts";
import { breakerRefused } from "./breaker-refused.ts";
import type { CallEnd } from "./call-end.ts";
import { governedTask } from "./governed-task.ts";
import { OpenCall } from "./open-call.ts";
import { reserveHold } from "./reserve-hold.ts";

export interface CallAsk {
  readonly step: number;
  /** Breaker keys to pass, narrowest first. */
  readonly keys: readonly string[];
  readonly estimate: Amounts;
  /** Share by which the reservation exceeds the estimate (BU-7). */
  readonly factor: number;
  /** What to set aside at a factor; absent: the estimate times it. */
  readonly reserve?: ((factor: number) => Amounts) | undefined;
  /** Counts against the governor: wire calls do, tool calls do not (GV-1). */
  readonly isGoverned: boolean;
  /** A rung of the ladder: it may reserve from what is left after a trip, where the envelope allows that (BU-9). */
  readonly isLadder: boolean;
  /** Called when the step must wait for room in its envelope, and when that is over. */
  readonly onWaiting: (atMostMs: number, on: "budget" | "store") => void;
  readonly onWaited: () => void;
}

export class TaskAdmission {
  readonly #parts: AdmissionParts;
  readonly #open = new Set<OpenCall>();
  #openingHold: string | undefined;
  #stopped: CodedError | undefined;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    // A later attempt finds it ended with the first.
    this.#openingHold = parts.spender.attempt === 1 ? parts.openingHold : undefined;
  }

  /** Rejects with the guard's refusal; then nothing is held. */
  async admit(ask: CallAsk): Promise<OpenCall> {
    this.#assertLive();
    const giveBack = this.#passGovernor(ask);
    try {
      this.#checkBreakers(ask);
      return await this.#reserveAndGo(ask);
    } catch (error) {
      giveBack?.();
      throw error;
    }
  }

  /** Nothing is let out from now on; calls in flight go on to their end. */
  stop(reason: CodedError): void {
    this.#stopped ??= reason;
  }

  /** Ends what nobody has ended, at best knowledge. */
  async endAll(end: (reserved: Amounts) => CallEnd): Promise<void> {
    await Promise.all([...this.#open].map(async (call) => call.end(end(call.reserved))));
  }

  #assertLive(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
    const reason = this.#parts.refusesSteps();
    if (reason !== undefined) throw reason;
  }

  /** What undoes the governor's count; undefined for what it does not count. */
  #passGovernor({ step, isGoverned }: CallAsk): (() => void) | undefined {
    if (!isGoverned) return undefined;
    const { governor, clock, journal, spender } = this.#parts;
    const answer = governor.admitCall(governedTask(spender));
    const at = clock.wallMs();
    if (!answer.allowed) {
      const { retryAfterMs } = answer;
      journal({ type: "governor.refused", ...spender, at, step, retryAfterMs });
      throw rateGovernedError(retryAfterMs);
    }
    if (answer.wouldRefuseMs !== undefined) {
      journal({ type: "would_refuse", ...spender, at, step, guard: "governor", reason: "rate" });
    }
    return answer.giveBack;
  }

  #checkBreakers({ step, keys }: CallAsk): void {
    const answer = this.#parts.breakers.check(keys);
    if (!answer.allowed) throw this.#breakerRefused(step, answer);
  }

  async #reserveAndGo(ask: CallAsk): Promise<OpenCall> {
    const reserved = ask.reserve?.(ask.factor) ?? reservationFor(ask.estimate, ask.factor);
    await this.#takeOver();
    const holdId = await reserveHold(this.#parts, ask, reserved);
    let permit: Permit | undefined;
    try {
      this.#assertLive();
      permit = this.#acquire(ask);
      await this.#dispatch(holdId);
      return this.#opened({ ask, holdId, reserved, permit });
    } catch (error) {
      permit?.end("giveBack");
      await this.#release(holdId);
      throw error;
    }
  }

  #acquire({ step, keys }: CallAsk): Permit {
    const answer = this.#parts.breakers.acquire(keys);
    if (answer.allowed) return answer.permit;
    throw this.#breakerRefused(step, answer);
  }

  async #dispatch(holdId: string | undefined): Promise<void> {
    if (holdId === undefined) return;
    const { ledger, spender } = this.#parts;
    let isOurs: boolean;
    try {
      isOurs = await ledger.dispatch(spender, holdId);
    } catch (cause) {
      throw bridleError("budget_unavailable", { cause });
    }
    if (!isOurs) throw bridleError("envelope_closed");
    this.#assertLive();
  }

  /** A5. */
  async #takeOver(): Promise<void> {
    const holdId = this.#openingHold;
    this.#openingHold = undefined;
    await this.#release(holdId);
  }

  async #release(holdId: string | undefined): Promise<void> {
    if (holdId === undefined) return;
    const { ledger, spender, queue, clock, unsettled } = this.#parts;
    try {
      await ledger.release(spender, holdId, clock.wallMs());
    } catch {
      unsettled.addRelease(spender, holdId);
    }
    queue.wake(spender.runId);
  }

  #opened({ ask, holdId, reserved, permit }: Opening): OpenCall {
    const call = new OpenCall({
      parts: this.#parts,
      step: ask.step,
      holdId,
      reserved,
      permit,
      onEnded: () => this.#open.delete(call),
    });
    this.#open.add(call);
    return call;
  }

  #breakerRefused(step: number, refusal: BreakerRefusal): CodedError {
    const { journal, spender, clock } = this.#parts;
    const { key, retryAfterMs } = refusal;
    journal({ type: "breaker.refused", ...spender, at: clock.wallMs(), step, key, retryAfterMs });
    return breakerRefused(refusal, clock.wallMs());
  }
}

interface Opening {
  readonly ask: CallAsk;
  readonly holdId: string | undefined;
  readonly reserved: Amounts;
  readonly permit: Permit;
}
