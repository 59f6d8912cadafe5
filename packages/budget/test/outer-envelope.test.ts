import {
  dayOf,
  describeShortage,
  initialLedger,
  initialOuter,
  nextDayAt,
  reduceLedger,
  refusesRun,
  restoreLedger,
  selectEnvelope,
  selectOuter,
  snapshotLedger,
} from "@bridle/budget";
import type { LedgerInput, LedgerState, OuterState } from "@bridle/budget";
import {
  addAmounts,
  asRunId,
  defaultDayLimit,
  installationScope,
  isOuterScope,
  keyScope,
  noAmounts,
} from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { a, termsOf, tokens } from "./ledger-kit.ts";

const most = Number.MAX_SAFE_INTEGER;
const noon = Date.UTC(2026, 10, 29, 12);
const dayMs = 86_400_000;

function all(amount: number): Amounts {
  return { tokens: amount, nanoUsd: amount, calls: amount };
}

function outerOf(limit: Amounts, scope = installationScope): OuterState {
  return initialOuter({ scope, limit }, noon);
}

/** A run below these levels, with one task that its own limit alone bounds. */
class Run {
  readonly state: LedgerState;
  readonly #id: string;

  constructor(id: string, above: readonly OuterState[], limit: Amounts = all(most)) {
    this.#id = id;
    const terms = { ...termsOf(0), limit };
    this.state = initialLedger({ runId: asRunId(id), terms, above });
    reduceLedger(this.state, { type: "open", taskId: a, terms: { ...terms, limit: all(most) } });
  }

  move<Input extends LedgerInput>(input: Input) {
    return reduceLedger(this.state, input)[1];
  }

  spender() {
    return { runId: asRunId(this.#id), taskId: a, attempt: 1 };
  }

  reserve(holdId: string, amounts: Amounts, at = noon) {
    const call = { ...this.spender(), holdId, step: 1, amounts, kind: "normal", at } as const;
    return this.move({ type: "reserve", ...call });
  }

  settle(holdId: string, actual: Amounts, at = noon) {
    this.move({ type: "dispatch", ...this.spender(), holdId });
    return this.move({ type: "settle", ...this.spender(), holdId, actual, basis: "usage", at });
  }

  close(at = noon) {
    return this.move({ type: "close", envelope: "run", at });
  }
}

describe("[BU-5] an envelope over many runs", () => {
  it("gives 5 % of what is left at a time, of tokens at most 50,000, and more where more is needed", () => {
    const outer = outerOf(all(2_000_000));
    new Run("run_1", [outer]).reserve("h", all(1));
    expect(outer.given).toEqual({ tokens: 50_000, nanoUsd: 100_000, calls: 100_000 });
    new Run("run_2", [outer]).reserve("h", all(1));
    expect(outer.given).toEqual({ tokens: 100_000, nanoUsd: 195_000, calls: 195_000 });
    new Run("run_3", [outer]).reserve("h", tokens(70_000));
    expect(outer.given.tokens).toBe(170_000);
  });

  it("gives no less than a four hundredth of the limit, as long as that is there", () => {
    const outer = outerOf(all(40_000));
    new Run("run_1", [outer]).reserve("h", all(39_200));
    const late = new Run("run_2", [outer]);
    late.reserve("h", all(1));
    expect(outer.given.nanoUsd).toBe(39_300);
    late.reserve("h2", all(670));
    expect(outer.given.nanoUsd).toBe(39_970 - 99);
  });

  it("gives nothing of what the run is not short of", () => {
    const outer = outerOf(all(1000));
    new Run("run_1", [outer]).reserve("h", tokens(10));
    expect(outer.given).toEqual(tokens(50));
  });

  it("gives the last of it to who needs no more, and refuses who does, changing nothing", () => {
    const outer = outerOf(all(100));
    new Run("run_1", [outer]).reserve("h", all(97));
    const late = new Run("run_2", [outer]);
    expect(late.reserve("h", all(4))).toMatchObject({
      refusal: "tripped",
      envelope: installationScope,
      dimension: "tokens",
      settled: all(97),
      limit: all(100),
    });
    expect([outer.given, selectEnvelope(late.state, "run")?.reserved]).toEqual([
      all(97),
      noAmounts,
    ]);
    expect(late.reserve("h", all(3))).toMatchObject({ admitted: true });
  });

  it("names the key before the installation, and the run's own levels before both", () => {
    const [key, installation] = [outerOf(all(10), keyScope("k1")), outerOf(all(5))];
    const run = new Run("run_1", [key, installation], all(20));
    expect(run.reserve("h", all(21))).toMatchObject({ envelope: "run", refusal: "never_fits" });
    expect(run.reserve("h", all(11))).toMatchObject({ envelope: keyScope("k1") });
    expect(run.reserve("h", all(6))).toMatchObject({ envelope: installationScope });
    expect([key.given, installation.given]).toEqual([noAmounts, noAmounts]);
  });

  it("lets a run begin while a four hundredth is left, or all that the run may spend", () => {
    const outer = outerOf({ ...all(most), nanoUsd: 400_000 });
    const may = (limit: Amounts) => refusesRun([outer], { limit, at: noon });
    outer.given = { ...noAmounts, nanoUsd: 399_000 };
    expect(may(all(most))).toBeUndefined();
    outer.given = { ...noAmounts, nanoUsd: 399_001 };
    expect(may(all(most))).toMatchObject({ scope: installationScope, dimension: "nanoUsd" });
    expect(may(all(999))).toBeUndefined();
    expect(may(all(1000))).toMatchObject({ dimension: "nanoUsd" });
    expect(refusesRun([outer], { limit: all(most), at: noon + dayMs })).toBeUndefined();
  });

  it("takes back at the end what was not spent, once, and keeps what was overspent", () => {
    const outer = outerOf(all(100));
    const [one, two] = [new Run("run_1", [outer]), new Run("run_2", [outer])];
    one.reserve("h", all(60));
    two.reserve("h", all(20));
    one.settle("h", all(10));
    one.close();
    one.close();
    expect(outer.given).toEqual(all(30));
    two.settle("h", all(25));
    two.close();
    expect(outer.given).toEqual(all(35));
  });

  it("[B134] starts each day clean: what an earlier one gave neither counts in it nor comes back to it", () => {
    const outer = outerOf(all(100));
    const [one, two] = [new Run("run_1", [outer]), new Run("run_2", [outer])];
    const tomorrow = noon + dayMs;
    one.reserve("h", all(100));
    expect(two.reserve("h", all(90), tomorrow)).toMatchObject({ admitted: true });
    one.settle("h", all(40), tomorrow);
    one.close(tomorrow);
    expect(outer.given).toEqual(all(90));
    expect(selectOuter(outer, [one.state, two.state], tomorrow)).toMatchObject({
      given: all(90),
      spent: noAmounts,
    });
  });

  it("[B134] a run over midnight spends yesterday's block first, and gives back today's", () => {
    const outer = outerOf(all(1000));
    const run = new Run("run_1", [outer]);
    const tomorrow = noon + dayMs;
    run.reserve("h1", all(10));
    run.reserve("h2", all(90), tomorrow);
    expect(outer).toMatchObject({ day: dayOf(tomorrow), given: all(50) });
    run.settle("h1", all(10), tomorrow);
    run.settle("h2", all(60), tomorrow);
    run.close(tomorrow);
    expect(outer.given).toEqual(all(20));
  });

  it("[B134] does not open a day again when a clock goes back", () => {
    const outer = outerOf(all(100));
    const [one, two] = [new Run("run_1", [outer]), new Run("run_2", [outer])];
    one.reserve("h", all(100));
    expect(two.reserve("h", all(1), noon - dayMs)).toMatchObject({ admitted: false });
    expect(outer.day).toBe(dayOf(noon));
  });

  it("ends its days at midnight in UTC", () => {
    const midnight = Date.UTC(2026, 10, 30);
    expect([nextDayAt(noon), nextDayAt(midnight - 1)]).toEqual([midnight, midnight]);
    expect([dayOf(midnight) - dayOf(midnight - 1), nextDayAt(midnight)]).toEqual([
      1,
      midnight + dayMs,
    ]);
  });

  it("[BU-3] is 50 dollars a day when nothing is configured", () => {
    expect(defaultDayLimit).toEqual({ tokens: most, nanoUsd: 50_000_000_000, calls: most });
  });

  it("refuses a limit that is none by its name", () => {
    expect(() => outerOf({ ...all(1), tokens: -1 })).toThrow(
      "limit of installation/day.tokens must be a whole number from 0 to 2^53-1, not -1.",
    );
  });

  it("[BU-8] says which level has too little left, of what, until when, and what to do", () => {
    const money = { dimension: "nanoUsd", given: all(49_500_000_000), limit: all(50_000_000_000) };
    expect(describeShortage({ scope: installationScope, ...money, dimension: "nanoUsd" })).toBe(
      "The installation's day has too little left: 49.5 USD of 50 USD are spent or lie with runs. It starts afresh at 00:00 UTC; until then wait for runs to end, or raise `budget.perDay` of the configuration.",
    );
    const calls = { given: all(3), limit: all(3), dimension: "calls" } as const;
    expect(describeShortage({ scope: keyScope("k1"), ...calls })).toBe(
      'The day of the API key "k1" has too little left: 3 calls of 3 calls are spent or lie with runs. It starts afresh at 00:00 UTC; until then wait for runs to end, or raise the key\'s limit.',
    );
    expect([isOuterScope(keyScope("k1")), isOuterScope("installation")]).toEqual([true, false]);
  });

  it("stands in a stored ledger as it stood", () => {
    const outer = outerOf(all(1000));
    const run = new Run("run_1", [outer]);
    run.reserve("h", all(10));
    run.settle("h", all(10));
    const stored = JSON.parse(JSON.stringify(snapshotLedger(run.state)));
    const restored = restoreLedger(stored, [outer]);
    reduceLedger(restored, { type: "close", envelope: "run", at: noon });
    expect(outer.given).toEqual(all(10));
  });
});

const runCount = 4;
const step = fc.record({
  run: fc.nat(runCount - 1),
  hold: fc.nat(9),
  does: fc.constantFrom(
    "reserve",
    "reserve",
    "reserve",
    "settle",
    "settle",
    "release",
    "expire",
    "close",
  ),
  amount: fc.nat(30),
  /** Half days that pass before it. */
  halfDays: fc.constantFrom(0, 0, 0, 0, 0, 1),
});

function play(
  run: Run,
  { does, hold, amount }: { does: string; hold: number; amount: number },
  at: number,
): void {
  const holdId = `h${hold}`;
  if (does === "reserve") {
    const isFree = !run.state.open.has(holdId) && !run.state.ended.has(holdId);
    if (isFree) run.reserve(holdId, all(amount), at);
  } else if (does === "settle") run.settle(holdId, all(amount), at);
  else if (does === "release") run.move({ type: "release", ...run.spender(), holdId, at });
  else if (does === "expire") run.move({ type: "expire", olderThan: at - amount, at });
  else run.close(at);
}

describe("[BU-5] [BU-22] whatever runs do in whatever order", () => {
  it("a day has given what runs hold of it, never more than its limit but by overruns, and gets back all that was not spent", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const [key, installation] = [outerOf(all(150), keyScope("k")), outerOf(all(100))];
        const runs = Array.from(
          { length: runCount },
          (_, index) => new Run(`run_${index}`, index < 2 ? [key, installation] : [installation]),
        );
        let at = noon;
        let overruns = 0;
        for (const one of steps) {
          at += one.halfDays * (dayMs / 2);
          const run = runs[one.run];
          if (run === undefined) continue;
          const before = run.state.open.get(`h${one.hold}`);
          if (one.does === "settle" && before) {
            overruns += Math.max(0, one.amount - before.amounts.tokens);
          }
          play(run, one, at);
          for (const outer of [key, installation]) expect(outer.given).toEqual(heldOf(outer, runs));
          expect(installation.given.tokens).toBeLessThanOrEqual(100 + overruns);
          for (const { state } of runs) expectCovered(state);
        }
        for (const run of runs) {
          run.close(at);
          for (const holdId of run.state.open.keys()) {
            run.move({ type: "release", ...run.spender(), holdId, at });
          }
        }
        for (const outer of [key, installation]) {
          const { given, spent } = selectOuter(
            outer,
            runs.map(({ state }) => state),
            at,
          );
          expect(given).toEqual(spent);
        }
      }),
    );
  });
});

/** The blocks of that day, live runs' and ended ones'. */
function heldOf(outer: OuterState, runs: readonly Run[]): Amounts {
  return runs
    .flatMap(({ state: { grant } }) =>
      grant?.above.includes(outer) === true && grant.block.day === outer.day
        ? [grant.block.given]
        : [],
    )
    .reduce((sum, given) => addAmounts(sum, given), noAmounts);
}

/** A run has spent no more than it was given, and has promised no more but by what overruns took of it. */
function expectCovered(state: LedgerState): void {
  const run = selectEnvelope(state, "run");
  expect(run?.settled.tokens).toBeLessThanOrEqual(state.grant?.given.tokens ?? 0);
}
