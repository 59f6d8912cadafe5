import { asRunId } from "@bridle/protocol";
import type { Amounts, RunSpending, Spending } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  initialBurn,
  minuteOf,
  recordBurn,
  selectBurning,
  selectRecentBurn,
} from "../src/index.ts";
import type { BurnState } from "../src/index.ts";

const start = 1_800_000_000_000;
const minute = 60_000;

function amounts(tokens: number): Amounts {
  return { tokens, nanoUsd: tokens * 10, calls: 1 };
}

function run(name: string, tokens: number, more: Partial<RunSpending> = {}): RunSpending {
  const charged = amounts(tokens);
  const limit = amounts(10_000);
  return {
    runId: asRunId(`run_${name}`),
    charged,
    settled: charged,
    reserved: amounts(0),
    limit,
    ...more,
  };
}

function spending(...runs: readonly RunSpending[]): Spending {
  const sum = (of: keyof Amounts): number =>
    runs.reduce((all, { charged }) => all + charged[of], 0);
  return { runs, total: { tokens: sum("tokens"), nanoUsd: sum("nanoUsd"), calls: sum("calls") } };
}

/** Minutes from the start, each with what one chain burned in it. */
function recorded(...burned: readonly (number | undefined)[]): BurnState {
  return burned.reduce<BurnState>(
    (state, tokens, index) =>
      tokens === undefined
        ? state
        : recordBurn(state, start + index * minute, spending(run("a", tokens))),
    initialBurn(),
  );
}

const burning = (state: BurnState, minutes: number, now: RunSpending) =>
  selectBurning(state, { runs: [now], by: "tokens", nowMs: start + minutes * minute + 30_000 })[0];

describe("[BB-1] the burn board", () => {
  it("keeps a snapshot of each minute for an hour, ten chains of each, and the total of all", () => {
    const crowd = spending(
      ...Array.from({ length: 25 }, (_, index) => run(`${index}`, 25 - index)),
    );
    let state = initialBurn();
    for (let index = 0; index < 90; index++)
      state = recordBurn(state, start + index * minute, crowd);
    expect(state.snapshots).toHaveLength(60);
    expect(state.snapshots[0]?.minute).toBe(start + 30 * minute);
    expect(state.snapshots.at(-1)?.chains).toHaveLength(10);
    expect(state.snapshots.at(-1)?.total.tokens).toBe(325);
  });

  it("shows how the burning of a chain has grown: since the last minute, and from minute to minute", () => {
    const state = recorded(100, 200, 300, 400, 500);
    expect(burning(state, 5, run("a", 600))).toMatchObject({ delta: 100, slope: 100 });
    expect(burning(recorded(500, 500, 500), 3, run("a", 500))).toMatchObject({
      delta: 0,
      slope: 0,
    });
    expect(burning(initialBurn(), 0, run("a", 500))).toMatchObject({ delta: 500, slope: 0 });
  });

  it("leaves a minute that nobody recorded as a gap, and draws no slope across it", () => {
    const state = recorded(9000, undefined, 100, 200);
    expect(selectRecentBurn(state, start + 4 * minute).map((one) => one.minute - start)).toEqual([
      0,
      2 * minute,
      3 * minute,
    ]);
    expect(burning(state, 4, run("a", 300))?.slope).toBe(100);
    expect(burning(state, 5, run("a", 300))).toMatchObject({ delta: 300, slope: 0 });
  });

  it("looks five minutes back", () => {
    const state = recorded(1, 2, 3, 4, 5, 6, 7);
    expect(selectRecentBurn(state, start + 7 * minute + 1)).toHaveLength(5);
    expect(selectRecentBurn(state, start + 30 * minute)).toEqual([]);
  });

  it("tells when a chain will reach its limit at this pace, what is reserved left out", () => {
    const now = run("a", 1000, { settled: amounts(4000), reserved: amounts(1000) });
    expect(burning(initialBurn(), 0, now)?.msToLimit).toBe(5 * minute);
    const beyond = run("a", 1000, { settled: amounts(20_000) });
    expect(burning(initialBurn(), 0, beyond)?.msToLimit).toBe(0);
    const unlimited = { ...amounts(1), tokens: Number.MAX_SAFE_INTEGER };
    expect(
      burning(initialBurn(), 0, run("a", 1000, { limit: unlimited }))?.msToLimit,
    ).toBeUndefined();
    expect(burning(initialBurn(), 0, run("a", 0))?.msToLimit).toBeUndefined();
  });

  it("keeps the later figures of a minute that is recorded twice", () => {
    const once = recordBurn(initialBurn(), start, spending(run("a", 1)));
    const twice = recordBurn(once, start, spending(run("a", 2)));
    expect(twice.snapshots.map(({ total }) => total.tokens)).toEqual([2]);
    expect(minuteOf(start + 59_999)).toBe(start);
  });

  it("holds no more than sixty snapshots in order, whatever is recorded when", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 300 }), (minutes) => {
        const state = minutes.reduce<BurnState>(
          (kept, at) => recordBurn(kept, start + at * minute, spending(run("a", at))),
          initialBurn(),
        );
        const kept = state.snapshots.map((one) => one.minute);
        expect(kept).toEqual([...new Set(kept)].toSorted((left, right) => left - right));
        expect(kept.length).toBeLessThanOrEqual(60);
      }),
    );
  });
});
