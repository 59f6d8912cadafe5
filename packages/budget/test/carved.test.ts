import {
  defaultEnvelope,
  initialLedger,
  reduceLedger,
  selectEnvelopes,
  selectOpenHolds,
  unlimited,
} from "@bridle/budget";
import type { LedgerInput, LedgerState } from "@bridle/budget";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { EnvelopeState, TaskId } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** `a` is a task; `a.1` and `a.2` are its children, `a.1.1` its grandchild. */
const names = ["a", "a.1", "a.2", "a.1.1"] as const;
const runId = asRunId("run_1");
const terms = (tokens: number) => ({
  ...defaultEnvelope(),
  limit: { tokens, nanoUsd: unlimited, calls: unlimited },
});

const name = fc.constantFrom(...names);
const hold = fc.integer({ min: 0, max: 9 });
const move = fc.oneof(
  fc.record({ do: fc.constant("carve"), name, amount: fc.constantFrom(0, 5, 20, 60, unlimited) }),
  fc.record({ do: fc.constant("reserve"), name, hold, amount: fc.nat(25) }),
  fc.record({ do: fc.constant("reserve"), name, hold, amount: fc.nat(25) }),
  fc.record({ do: fc.constant("dispatch"), name, hold, amount: fc.constant(0) }),
  fc.record({ do: fc.constant("settle"), name, hold, amount: fc.nat(40) }),
  fc.record({ do: fc.constant("release"), name, hold, amount: fc.constant(0) }),
  fc.record({ do: fc.constant("close"), name, amount: fc.constant(0) }),
  fc.record({ do: fc.constant("raise"), name, amount: fc.nat(30) }),
);
type Move = {
  readonly do: string;
  readonly name: string;
  readonly hold?: number;
  readonly amount: number;
};

/** Undefined where the move is of something that is not there. */
function inputOf(state: LedgerState, step: Move): LedgerInput | undefined {
  const make = makers[step.do];
  return make?.(state, step, asTaskId(step.name));
}

const at = 1;

/** Of the task whose move it is: its open hold, or one that is nobody's. */
function named(state: LedgerState, { name: of, hold: number = 0 }: Move) {
  const open = [...state.open.values()].find((one) => one.taskId === of);
  return { runId, taskId: asTaskId(of), attempt: 1, holdId: open?.holdId ?? `${of}/${number}` };
}

const makers: Readonly<
  Record<string, (state: LedgerState, step: Move, taskId: TaskId) => LedgerInput | undefined>
> = {
  carve: (state, { name: of, amount }, taskId) => {
    const parent = asTaskId(of.slice(0, of.lastIndexOf(".")));
    if (of === "a" || !state.envelopes.has(parent)) return undefined;
    return { type: "open", taskId, terms: terms(amount), parent, carvedAt: at };
  },
  reserve: (state, step) => {
    const { amount, name: of, hold: number = 0 } = step;
    const holdId = `${of}/${number}/${amount}`;
    if (state.ended.has(holdId)) return undefined;
    const amounts = { tokens: amount, nanoUsd: 0, calls: 1 };
    return { ...named(state, step), type: "reserve", holdId, step: 1, amounts, kind: "normal", at };
  },
  settle: (state, step) => {
    const actual = { tokens: step.amount, nanoUsd: 0, calls: 1 };
    return { type: "settle", ...named(state, step), actual, basis: "usage", at };
  },
  dispatch: (state, step) => ({ type: "dispatch", ...named(state, step) }),
  release: (state, step) => ({ type: "release", ...named(state, step), at }),
  close: (_, __, envelope) => ({ type: "close", envelope, at }),
  raise: (_, { amount }, envelope) => ({
    type: "raise",
    envelope,
    by: { tokens: amount, nanoUsd: 0, calls: 0 },
    at,
  }),
};

function started(): LedgerState {
  const state = initialLedger({ runId, terms: terms(100) });
  reduceLedger(state, { type: "open", taskId: asTaskId("a"), terms: terms(80) });
  return state;
}

/** What stands in the level above for this one, recounted: the rule of LF-8 in other words. */
function setAside({ carvedFrom, closed, limit, settled, reserved }: EnvelopeState): number {
  if (carvedFrom === undefined || closed || limit.tokens === unlimited) return reserved.tokens;
  return Math.max(reserved.tokens, limit.tokens - settled.tokens);
}

function isChild(of: string, { envelope, carvedFrom }: EnvelopeState): boolean {
  return carvedFrom === undefined ? of === "run" && envelope !== "run" : carvedFrom === of;
}

type Spent = Map<string, number>;

function play(state: LedgerState, moves: readonly Move[], after: (spent: Spent) => void): void {
  const spent: Spent = new Map();
  for (const step of moves) {
    const input = inputOf(state, step);
    if (input === undefined) continue;
    const [, , events] = reduceLedger(state, input);
    for (const event of events) {
      if (event.type !== "budget.settled") continue;
      spent.set(event.taskId, (spent.get(event.taskId) ?? 0) + Number(event.actual.tokens));
    }
    after(spent);
  }
}

/** Every level's figures, and what they should be. */
function figures(state: LedgerState, spent: Spent) {
  const levels = selectEnvelopes(state);
  const holds = selectOpenHolds(state);
  return levels.map((level) => {
    const below = levels.filter((one) => isChild(level.envelope, one));
    const own = holds.filter(({ taskId }) => taskId === level.envelope);
    const held = own.reduce((sum, { amounts }) => sum + amounts.tokens, 0);
    const aside = below.reduce((sum, one) => sum + setAside(one), 0);
    const paid = below.reduce((sum, one) => sum + one.settled.tokens, 0);
    const { envelope, reserved, settled } = level;
    return {
      is: { envelope, reserved: reserved.tokens, settled: settled.tokens },
      should: { envelope, reserved: held + aside, settled: (spent.get(envelope) ?? 0) + paid },
    };
  });
}

/** Tokens of a level beyond its limit that no overrun explains. */
function beyond(state: LedgerState): number {
  const levels = selectEnvelopes(state);
  const overrun = levels.some(({ settled, limit }) => settled.tokens > limit.tokens);
  const run = levels[0];
  return overrun || run === undefined ? 0 : run.settled.tokens + run.reserved.tokens - 100;
}

describe("[LF-8] [S6] carved envelopes", () => {
  it("[BU-22] at every level: reserved = own holds and what is carved and not spent; settled = own and all below", () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const state = started();
        play(state, moves, (spent) => {
          for (const { is, should } of figures(state, spent)) expect(is).toEqual(should);
          expect(beyond(state)).toBeLessThanOrEqual(0);
        });
      }),
      { numRuns: 500 },
    );
  });

  it("nothing stays reserved once every envelope is closed and every hold has ended, in any order", () => {
    let carved = 0;
    fc.assert(
      fc.property(
        fc.array(move, { maxLength: 40 }),
        fc.shuffledSubarray([...names], { minLength: 4, maxLength: 4 }),
        (moves, order) => {
          const state = started();
          play(state, moves, () => {});
          carved += state.envelopes.size > 2 ? 1 : 0;
          for (const each of order) {
            reduceLedger(state, { type: "close", envelope: asTaskId(each), at: 2 });
          }
          reduceLedger(state, { type: "expire", olderThan: 10, at: 10 });
          for (const { reserved } of selectEnvelopes(state)) expect(reserved.tokens).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
    expect(carved).toBeGreaterThan(50);
  });
});
