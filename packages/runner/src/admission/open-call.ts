import { sleep } from "@bridle/kernel";
import type { WireEnd, WirePermit } from "@bridle/ports";
import type { Amounts } from "@bridle/protocol";

import type { AdmissionParts } from "./admission-parts.ts";
import type { BreakerPermit } from "./breaker-gate.ts";

export interface OpenCallOptions {
  readonly parts: AdmissionParts;
  readonly step: number;
  /** Undefined when the budget guard did not enforce. */
  readonly holdId: string | undefined;
  readonly reserved: Amounts;
  readonly permit: BreakerPermit;
  readonly onEnded: () => void;
}

const settleTries = 5;
const settlePauseMs = 200;

/**
 * A call that was let out. It ends once: the first `end` settles and records, later ones wait for it and change nothing. A settle
 * the store does not take is tried again; what it never takes is charged at its reservation when the attempt ends.
 */
export class OpenCall implements WirePermit {
  readonly reserved: Amounts;
  readonly #options: OpenCallOptions;
  #ending: Promise<void> | undefined;

  constructor(options: OpenCallOptions) {
    this.#options = options;
    this.reserved = options.reserved;
  }

  async end(end: WireEnd): Promise<void> {
    this.#ending ??= this.#end(end);
    return this.#ending;
  }

  async #end(end: WireEnd): Promise<void> {
    const { permit, parts, step, onEnded } = this.#options;
    await this.#settle(end);
    permit.end(end);
    onEnded();
    parts.queue.wake(parts.spender.runId);
    parts.onSettled(step);
  }

  async #settle({ actual, basis }: WireEnd): Promise<void> {
    const { parts, holdId } = this.#options;
    if (holdId === undefined) return;
    parts.holds.remove(holdId);
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
