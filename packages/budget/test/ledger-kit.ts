import { initialLedger, reduceLedger, selectEnvelope, selectEnvelopes } from "@bridle/budget";
import type { EnvelopeName, LedgerInput, LedgerState } from "@bridle/budget";
import type { Amounts, EnvelopeTerms, JournalEvent, ReserveRequest } from "@bridle/protocol";
import { asRunId, asTaskId } from "@bridle/protocol";

export const runId = asRunId("run_1");
export const a = asTaskId("a");
export const b = asTaskId("b");

export function tokens(amount: number): Amounts {
  return { tokens: amount, nanoUsd: 0, calls: 0 };
}

export function termsOf(limit: number, overrides: Partial<EnvelopeTerms> = {}): EnvelopeTerms {
  const most = Number.MAX_SAFE_INTEGER;
  return {
    limit: { tokens: limit, nanoUsd: most, calls: most },
    creditMode: "credit",
    onTrip: "nothing",
    ...overrides,
  };
}

/** A ledger under test, with the moves of one spender as short calls and every event it produced. */
export class Desk {
  readonly state: LedgerState;
  readonly events: JournalEvent[] = [];
  at = 1000;

  constructor(
    run: EnvelopeTerms = termsOf(1000),
    tasks: Readonly<Record<string, EnvelopeTerms>> = { a: run },
    linePercent?: number,
  ) {
    this.state = initialLedger({ runId, terms: run, linePercent });
    for (const [id, terms] of Object.entries(tasks)) {
      this.move({ type: "open", taskId: asTaskId(id), terms });
    }
  }

  move<Input extends LedgerInput>(input: Input) {
    const [, answer, events] = reduceLedger(this.state, input);
    this.events.push(...events);
    return answer;
  }

  spender(task = "a", attempt = 1) {
    return { runId, taskId: asTaskId(task), attempt };
  }

  reserve(holdId: string, amounts: number | Amounts, overrides: Partial<ReserveRequest> = {}) {
    return this.move({
      type: "reserve",
      ...this.spender(),
      holdId,
      step: 1,
      amounts: typeof amounts === "number" ? tokens(amounts) : amounts,
      kind: "normal",
      at: this.at,
      ...overrides,
    });
  }

  dispatch(holdId: string, spender = this.spender()) {
    return this.move({ type: "dispatch", ...spender, holdId });
  }

  settle(holdId: string, amount: number, spender = this.spender()) {
    const actual = tokens(amount);
    return this.move({ type: "settle", ...spender, holdId, actual, basis: "usage", at: this.at });
  }

  release(holdId: string, spender = this.spender()) {
    return this.move({ type: "release", ...spender, holdId, at: this.at });
  }

  expire(olderThan: number) {
    return this.move({ type: "expire", olderThan, at: this.at });
  }

  endAttempt(task = "a", attempt = 1) {
    const spender = this.spender(task, attempt);
    return this.move({ type: "end-attempt", ...spender, at: this.at, final: true });
  }

  /** Reserves, dispatches and settles one step; false when it was refused. */
  step(holdId: string, reserved: number, actual: number): boolean {
    if (!this.reserve(holdId, reserved).admitted) return false;
    this.dispatch(holdId);
    this.settle(holdId, actual);
    return true;
  }

  envelope(name: EnvelopeName = "run") {
    const envelope = selectEnvelope(this.state, name);
    if (envelope === undefined) throw new Error(`There is no envelope ${name}.`);
    return envelope;
  }

  /** `[settled, reserved]` tokens. */
  figures(name: EnvelopeName = "run"): readonly [number, number] {
    const { settled, reserved } = this.envelope(name);
    return [settled.tokens, reserved.tokens];
  }

  allFigures() {
    return Object.fromEntries(
      selectEnvelopes(this.state).map(({ envelope, settled, reserved }) => [
        envelope,
        [settled.tokens, reserved.tokens],
      ]),
    );
  }

  eventTypes(): readonly string[] {
    return this.events.map(({ type }) => type);
  }
}
