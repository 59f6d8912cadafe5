import { routeOutcome } from "@bridle/breaker";
import type { Permit } from "@bridle/breaker";
import { sleep } from "@bridle/kernel";
import type { Amounts } from "@bridle/protocol";

import type { AdmissionParts } from "./admission-parts.ts";
import type { CallEnd } from "./call-end.ts";
import type { KeptCall } from "./hold-keeper.ts";

export interface OpenCallOptions {
  readonly parts: AdmissionParts;
  readonly step: number;
  /** Undefined when the budget guard did not enforce. */
  readonly holdId: string | undefined;
  readonly reserved: Amounts;
  readonly permit: Permit;
  readonly onEnded: () => void;
}

const settleTries = 5;
const settlePauseMs = 200;

/**
 * A call that was let out. It ends once: the first `end` settles and records, later ones wait for it and change nothing. A settle
 * the store does not take is tried again; what it never takes is charged at its reservation when the attempt ends.
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

  async #end(end: CallEnd): Promise<void> {
    const { permit, parts, step, onEnded } = this.#options;
    await this.#settle(end);
    this.#record(permit, end);
    onEnded();
    parts.queue.wake(parts.spender.runId);
    parts.onSettled(step);
  }

  #record(permit: Permit, { outcome, actual, completedProgress, retryAfterMs }: CallEnd): void {
    const facts = { tokens: actual.tokens, completedProgress, retryAfterMs };
    permit.end(routeOutcome(outcome), { ...facts, traceId: this.#options.parts.traceId });
  }

  async #settle({ actual, basis }: CallEnd): Promise<void> {
    const { parts, holdId } = this.#options;
    parts.holds.remove(this.#kept);
    if (holdId === undefined) return;
    const charged: Amounts = { ...actual, calls: Math.max(1, actual.calls) };
    for (let tries = 1; tries <= settleTries; tries++) {
      try {
        const { spender, clock, ledger } = parts;
        // oxlint-disable-next-line no-await-in-loop -- tried again only after the last try failed
        await ledger.settle({ ...spender, holdId, actual: charged, basis, at: clock.wallMs() });
        return;
      } catch {
        // oxlint-disable-next-line no-await-in-loop -- pause between tries
        await sleep({ clock: parts.clock, ms: settlePauseMs * 2 ** (tries - 1) });
      }
    }
  }
}
