import { reduceLedger, restoreLedger, snapshotLedger } from "@bridle/budget";
import type { LedgerInput, LedgerSnapshot, LedgerState } from "@bridle/budget";
import { seededRandom } from "@bridle/kernel/testing";
import { fromWireAmounts } from "@bridle/protocol";
import type { JournalEvent } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { a, b, Desk, runId, termsOf, tokens } from "./ledger-kit.ts";

const holdCount = 10;
const tasks = ["a", "b", "b.child"] as const;
const child = tasks[2] as typeof a;

interface HoldPlan {
  readonly task: number;
  readonly attempt: number;
  readonly tokens: number;
  readonly nanoUsd: number;
  readonly kind: "normal" | "ladder";
}

const planned = fc.array(
  fc.record({
    task: fc.nat(2),
    attempt: fc.integer({ min: 1, max: 2 }),
    tokens: fc.nat(9),
    nanoUsd: fc.nat(9),
    kind: fc.constantFrom("normal" as const, "ladder" as const),
  }),
  { minLength: holdCount, maxLength: holdCount },
);
const hold = fc.nat(holdCount - 1);
const operation = fc.oneof(
  { weight: 8, arbitrary: fc.record({ op: fc.constant("reserve" as const), hold }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("dispatch" as const), hold }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("settle" as const), hold, actual: fc.nat(14) }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("release" as const), hold }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("renew" as const), hold }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("expire" as const), age: fc.nat(10) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant("fence" as const),
      task: fc.nat(2),
      attempt: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("end" as const), task: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("raise" as const), level: fc.nat(3), by: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("freeze" as const), level: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("unfreeze" as const), level: fc.nat(3) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
const operations = fc.array(operation, { maxLength: 80 });
const strictness = fc.boolean();

const levels = ["run", a, b, child] as const;

function newDesk(strict: boolean): Desk {
  const overrides = strict ? { creditMode: "strict" as const } : { onTrip: "ladder" as const };
  const limit = { tokens: 30, nanoUsd: 40, calls: 8 };
  const desk = new Desk(termsOf(0, { limit, ...overrides }), {
    a: termsOf(20, overrides),
    b: termsOf(20, overrides),
  });
  desk.move({ type: "open", taskId: child, terms: termsOf(12, overrides), parent: b });
  return desk;
}

function taskAt(index: number) {
  return [a, b, child][index] ?? a;
}

function inputOf(step: Operation, plans: readonly HoldPlan[], at: number): LedgerInput {
  if ("hold" in step) return holdInput(step, plans[step.hold], at);
  if ("task" in step) {
    const taskId = taskAt(step.task);
    return step.op === "fence"
      ? { type: "fence", taskId, attempt: step.attempt }
      : { type: "end-attempt", runId, taskId, attempt: 1, at, final: true };
  }
  if (step.op === "expire") return { type: "expire", olderThan: at - step.age, at };
  const envelope = levels[step.level] ?? "run";
  return step.op === "raise"
    ? { type: "raise", envelope, by: tokens(step.by), at: 1 }
    : { type: step.op, envelope, cause: "breaker" };
}

function holdInput(
  step: Extract<Operation, { hold: number }>,
  plan: HoldPlan | undefined,
  at: number,
): LedgerInput {
  if (plan === undefined) throw new Error(`No plan for hold ${step.hold}.`);
  const { attempt, kind, task } = plan;
  const named = { runId, taskId: taskAt(task), attempt, holdId: `h${step.hold}` };
  const amounts = { tokens: plan.tokens, nanoUsd: plan.nanoUsd, calls: 1 };
  if (step.op === "renew") return { type: "renew", holdIds: [named.holdId], at };
  if (step.op === "reserve") return { type: "reserve", ...named, step: 1, amounts, kind, at };
  if (step.op !== "settle") return { type: step.op, ...named, at };
  const actual = { tokens: step.actual, nanoUsd: plan.nanoUsd, calls: 1 };
  return { type: "settle", ...named, actual, basis: "usage", at };
}

/** Plays a history and calls `check` after each move with what it changed. */
function play(
  drawn: {
    readonly strict: boolean;
    readonly plans: readonly HoldPlan[];
    readonly steps: readonly Operation[];
  },
  check: (move: {
    readonly desk: Desk;
    readonly input: LedgerInput;
    readonly answer: unknown;
    /** Events of this move. */
    readonly produced: readonly JournalEvent[];
    readonly before: LedgerSnapshot;
  }) => void,
): Desk {
  const desk = newDesk(drawn.strict);
  for (const [index, step] of drawn.steps.entries()) {
    const input = inputOf(step, drawn.plans, 100 + index);
    const before = snapshotLedger(desk.state);
    const told = desk.events.length;
    const answer = desk.move(input);
    check({ desk, input, answer, produced: desk.events.slice(told), before });
  }
  return desk;
}

const histories = fc.record({ strict: strictness, plans: planned, steps: operations });
const dimensions = ["tokens", "nanoUsd", "calls"] as const;

/** What the tree must add up to: reserved and settled of a level, from the holds below it. */
function sumsBelow(state: LedgerState, name: string) {
  const isBelow = (task: string): boolean => {
    for (let level: string | undefined = task; level !== undefined;) {
      if (level === name) return true;
      level = state.envelopes.get(level)?.parent;
    }
    return false;
  };
  const sum = (
    amounts: readonly {
      readonly tokens: number;
      readonly nanoUsd: number;
      readonly calls: number;
    }[],
  ) =>
    Object.fromEntries(
      dimensions.map((dimension) => [
        dimension,
        amounts.reduce((total, amount) => total + amount[dimension], 0),
      ]),
    );
  const open = [...state.open.values()].filter((held) => isBelow(held.taskId));
  const charged = [...state.ended.values()]
    .filter((held) => isBelow(held.taskId))
    .flatMap(({ answer }) => (answer.end === "settled" ? [answer.charged] : []));
  return { reserved: sum(open.map(({ amounts }) => amounts)), settled: sum(charged) };
}

describe("[BU-22] in every history", () => {
  it("reserved is the sum of the open holds and settled the sum of the charges, at every level, always", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        play(drawn, ({ desk }) => {
          for (const [name, { reserved, settled }] of desk.state.envelopes) {
            expect({ name, reserved, settled }).toEqual({ name, ...sumsBelow(desk.state, name) });
          }
        });
      }),
    );
  });

  it("an admission keeps settled + reserved within the limit at every level, or 90 % of it in strict mode", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        play(drawn, ({ desk, input, produced }) => {
          if (input.type !== "reserve" || produced[0]?.type !== "budget.reserved") return;
          const share = drawn.strict ? 0.9 : 1;
          const over = pathTo(desk.state, input.taskId).flatMap(([name, record]) =>
            dimensions
              .filter((dimension) => input.amounts[dimension] > 0)
              .filter((dimension) => {
                const taken = record.settled[dimension] + record.reserved[dimension];
                return record.closed || taken > Math.floor(record.terms.limit[dimension] * share);
              })
              .map((dimension) => `${name} ${dimension}`),
          );
          expect(over).toEqual([]);
        });
      }),
    );
  });

  it("nothing is negative, and more than the limit is settled only by what overruns were charged", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        play(drawn, ({ desk }) => {
          for (const [name, { terms, settled, reserved }] of desk.state.envelopes) {
            for (const dimension of dimensions) {
              expect(Math.min(settled[dimension], reserved[dimension])).toBeGreaterThanOrEqual(0);
              const over = settled[dimension] + reserved[dimension] - terms.limit[dimension];
              expect(over).toBeLessThanOrEqual(overrunsBelow(desk.state, name, dimension));
            }
          }
        });
      }),
    );
  });

  it("a refusal, and any move on a hold that has ended, changes nothing", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        play(drawn, ({ desk, input, answer, before }) => {
          const wasRefused =
            input.type === "reserve" && !(answer as { admitted: boolean }).admitted;
          const hadEnded =
            (input.type === "settle" || input.type === "release" || input.type === "dispatch") &&
            !before.open.some(({ holdId }) => holdId === input.holdId);
          const isBound = wasRefused || hadEnded;
          const now = snapshotLedger(desk.state);
          expect(isBound ? now : before).toEqual(before);
        });
      }),
    );
  });

  it("each hold has one ending in the log, and a sent one always has a charge", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        const sent = new Set<string>();
        const desk = play(drawn, ({ input, answer }) => {
          if (input.type === "dispatch" && answer === true) sent.add(input.holdId);
        });
        const endings = desk.events.filter(isEnding);
        const ids = endings.map(({ holdId }) => holdId);
        expect(ids.length).toBe(new Set(ids).size);
        const forNothing = endings.filter(({ type }) => type === "budget.released");
        expect(forNothing.filter(({ holdId }) => sent.has(holdId))).toEqual([]);
      }),
    );
  });

  it("nothing is reserved once every owner is gone, and the log alone adds up to what was settled", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        const desk = play(drawn, () => {});
        desk.expire(Number.MAX_SAFE_INTEGER);
        expect(desk.envelope().reserved).toEqual({ tokens: 0, nanoUsd: 0, calls: 0 });
        const charges = desk.events.flatMap((event) =>
          event.type === "budget.settled" ? [fromWireAmounts(event.actual)] : [],
        );
        const total = charges.reduce((sum, { tokens: charge }) => sum + charge, 0);
        expect(desk.figures()).toEqual([total, 0]);
      }),
    );
  });

  it("a ledger that was stored and loaded at any point goes on as one that was not", () => {
    fc.assert(
      fc.property(histories, (drawn) => {
        const straight = newDesk(drawn.strict);
        let stored: LedgerState = newDesk(drawn.strict).state;
        for (const [index, step] of drawn.steps.entries()) {
          const input = inputOf(step, drawn.plans, 100 + index);
          const [, expected, produced] = reduceLedger(straight.state, input);
          stored = restoreLedger(JSON.parse(JSON.stringify(snapshotLedger(stored))));
          const [, answer, events] = reduceLedger(stored, input);
          expect([answer, events]).toEqual([expected, produced]);
        }
        expect(stored).toEqual(straight.state);
      }),
    );
  });
});

describe("[BU-22] with many at once", () => {
  it("10,000 reservers of 1 from 1,000 get exactly 1,000", () => {
    const desk = new Desk(termsOf(1000));
    let admitted = 0;
    for (let index = 0; index < 10_000; index += 1) {
      if (desk.reserve(`h${index}`, 1).admitted) admitted += 1;
    }
    expect(admitted).toBe(1000);
    expect(desk.figures()).toEqual([0, 1000]);
  });

  it("[BU-13] overshoots by no more than what steps in flight at the last admission used above their reservation", () => {
    fc.assert(
      fc.property(fc.integer(), fc.boolean(), (seed, honours) => {
        const random = seededRandom(seed);
        const desk = new Desk(termsOf(1000));
        const inFlight: string[] = [];
        let excess = 0;
        for (let index = 0; index < 200; index += 1) {
          const holdId = `h${index}`;
          if (desk.reserve(holdId, 40).admitted) {
            desk.dispatch(holdId);
            inFlight.push(holdId);
            // What had overrun before was known when this one was admitted.
            excess = 0;
          }
          if (inFlight.length === 0 || random.next() < 0.5) continue;
          const ending = inFlight.splice(Math.floor(random.next() * inFlight.length), 1)[0] ?? "";
          const actual = Math.floor(random.next() * (honours ? 41 : 80));
          excess += Math.max(0, actual - 40);
          desk.settle(ending, actual);
        }
        for (const holdId of inFlight) desk.settle(holdId, 40);
        const [settled] = desk.figures();
        // With a provider that honours the maximum there is no excess at all.
        expect(honours ? excess : 0).toBe(0);
        expect(settled).toBeLessThanOrEqual(1000 + excess);
      }),
    );
  });
});

function isEnding(
  event: JournalEvent,
): event is Extract<JournalEvent, { type: "budget.settled" | "budget.released" }> {
  return event.type === "budget.settled" || event.type === "budget.released";
}

function pathTo(state: LedgerState, task: string) {
  return [...state.envelopes].filter(([name]) => {
    for (let level: string | undefined = task; level !== undefined;) {
      if (level === name) return true;
      level = state.envelopes.get(level)?.parent;
    }
    return false;
  });
}

function overrunsBelow(
  state: LedgerState,
  name: string,
  dimension: (typeof dimensions)[number],
): number {
  return [...state.ended.values()]
    .filter(({ taskId }) => pathTo(state, taskId).some(([level]) => level === name))
    .reduce((sum, { answer, amounts }) => {
      const charged = answer.end === "settled" ? answer.charged[dimension] : 0;
      return sum + Math.max(0, charged - amounts[dimension]);
    }, 0);
}
