import { routeOutcome } from "@bridle/breaker";
import type { Permit } from "@bridle/breaker";
import { sleep } from "@bridle/kernel";
import type { Amounts, SettleRequest } from "@bridle/protocol";

import type { AdmissionParts } from "./admission-parts.ts";
import type { CallEnd } from "./call-end.ts";
import type { KeptCall } from "./hold-keeper.ts";
import { soundAmounts } from "./sound-amounts.ts";

export interface OpenCallOptions {
  readonly parts: AdmissionParts;
  readonly step: number;
  /** Undefined when a budget guard that is off could not book. */
  readonly holdId: string | undefined;
  readonly reserved: Amounts;
  readonly permit: Permit;
  readonly onEnded: () => void;
}

const settleTries = 5;
const settlePauseMs = 200;

/**
 * A call that was let out. It ends once: the first `end` settles and records, later ones wait for it and change nothing. A settle
 * the store does not take is tried again; after a few tries the step goes on, and the cost is kept until the store takes it.
 */
export class OpenCall {
  readonly reserved: Amounts;
  readonly #options: OpenCallOptions;
  readonly #kept: KeptCall;
  #ending: Promise<void> | undefined;

  constructor(options: OpenCallOptions) {
    this.#options = options;
    this.reserved = options.reserved;
    this.#kept = { holdId: options.holdId, renewPermit: () => options.permit.renew() };
    options.parts.holds.add(this.#kept);
  }

  get hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  async end(end: CallEnd): Promise<void> {
    this.#ending ??= this.#end(end);
    return this.#ending;
  }

  async #end(told: CallEnd): Promise<void> {
    const { permit, parts, step, onEnded } = this.#options;
    const end = this.#sound(told);
    await this.#settle(end);
    this.#record(permit, end);
    onEnded();
    parts.queue.wake(parts.spender.runId);
    parts.onSettled(step);
  }

  #sound(end: CallEnd): CallEnd {
    const { amounts, unsound } = soundAmounts(end.actual, this.reserved);
    if (unsound.length === 0) return end;
    const { parts, step } = this.#options;
    for (const { dimension, value } of unsound) {
      const at = parts.clock.wallMs();
      parts.journal({ type: "budget.usage_unsound", ...parts.spender, at, step, dimension, value });
    }
    return { ...end, actual: amounts, basis: "unknown" };
  }

  #record(permit: Permit, { outcome, actual, completedProgress, retryAfterMs }: CallEnd): void {
    const { traceId, envelopeTokens } = this.#options.parts;
    const facts = { tokens: actual.tokens, completedProgress, retryAfterMs };
    permit.end(routeOutcome(outcome), { ...facts, traceId, envelopeTokens });
  }

  async #settle({ actual, basis }: CallEnd): Promise<void> {
    const { parts, holdId } = this.#options;
    if (holdId === undefined) {
      parts.holds.remove(this.#kept);
      return;
    }
    const charged: Amounts = { ...actual, calls: Math.max(1, actual.calls) };
    const request = { ...parts.spender, holdId, actual: charged, basis, at: parts.clock.wallMs() };
    // Renewed until it is settled: a hold that expires is charged what was reserved, whatever the call cost.
    if (await this.#trySettle(request)) parts.holds.remove(this.#kept);
    else parts.unsettled.add(request, this.#kept);
  }

  async #trySettle(request: SettleRequest): Promise<boolean> {
    const { clock, ledger } = this.#options.parts;
    for (let tries = 1; tries <= settleTries; tries++) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- tried again only after the last try failed
        await ledger.settle({ ...request, at: clock.wallMs() });
        return true;
      } catch {
        // oxlint-disable-next-line no-await-in-loop -- pause between tries
        await sleep({ clock, ms: settlePauseMs * 2 ** (tries - 1) });
      }
    }
    return false;
  }
}
