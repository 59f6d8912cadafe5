import { carve, defaultDayLimit, FactorBook, giveBack, initialOuter } from "@bridle/budget";
import type { Amounts } from "@bridle/protocol";
import { asRunId } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { tokens } from "./ledger-kit.ts";

const [one, two] = [asRunId("run_1"), asRunId("run_2")];
const period = "2026-11-29";

function all(amount: number): Amounts {
  return { tokens: amount, nanoUsd: amount, calls: amount };
}

describe("[BU-5] an envelope over many runs", () => {
  it("gives out 5 % at a time, of tokens at most 50,000, and more where more is needed", () => {
    const state = initialOuter(all(2_000_000), period);
    expect(carve(state, { runId: one, need: all(1), period })).toEqual({
      tokens: 50_000,
      nanoUsd: 100_000,
      calls: 100_000,
    });
    const more = carve(state, { runId: two, need: tokens(70_000), period });
    expect(more).toMatchObject({ tokens: 70_000, nanoUsd: 100_000 });
    const small = initialOuter(all(200), period);
    expect(carve(small, { runId: one, need: all(0), period })).toEqual(all(10));
  });

  it("gives the last of it to who needs no more, and refuses who does, changing nothing", () => {
    const state = initialOuter(all(100), period);
    carve(state, { runId: one, need: all(97), period });
    expect(carve(state, { runId: two, need: all(4), period })).toBeUndefined();
    expect(state.given).toEqual(all(97));
    expect(carve(state, { runId: two, need: all(1), period })).toEqual(all(3));
  });

  it("takes back at the end what was not spent, once, and keeps what was overspent", () => {
    const state = initialOuter(all(100), period);
    carve(state, { runId: one, need: all(60), period });
    carve(state, { runId: two, need: all(20), period });
    giveBack(state, { runId: one, spent: all(10), period });
    giveBack(state, { runId: one, spent: all(0), period });
    expect(state.given).toEqual(all(30));
    giveBack(state, { runId: two, spent: all(25), period });
    expect(state.given).toEqual(all(35));
  });

  it("[B134] starts each period clean: what an earlier one gave neither counts in it nor comes back to it", () => {
    const state = initialOuter(all(100), period);
    carve(state, { runId: one, need: all(100), period });
    const next = "2026-11-30";
    expect(carve(state, { runId: two, need: all(90), period: next })).toEqual(all(90));
    giveBack(state, { runId: one, spent: all(0), period: next });
    expect(state.given).toEqual(all(90));
    expect(carve(state, { runId: one, need: all(11), period: next })).toBeUndefined();
  });

  it("does not open a period again when the clock goes back", () => {
    const state = initialOuter(all(100), period);
    carve(state, { runId: one, need: all(100), period });
    expect(carve(state, { runId: two, need: all(1), period: "2026-11-28" })).toBeUndefined();
  });

  it("[BU-3] is 50 dollars a day when nothing is configured", () => {
    expect(defaultDayLimit.nanoUsd).toBe(50_000_000_000);
  });

  it("never gives out more than its limit", () => {
    const move = fc.record({
      run: fc.nat(4),
      need: fc.nat(40),
      ends: fc.boolean(),
      spent: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const state = initialOuter(all(100), period);
        for (const { run, need, ends, spent } of moves) {
          const runId = asRunId(`run_${run}`);
          const own = state.blocks.get(runId)?.given.tokens ?? 0;
          if (ends) giveBack(state, { runId, spent: all(Math.min(spent, own)), period });
          else carve(state, { runId, need: all(need), period });
          const given = [...state.blocks.values()].reduce(
            (sum, block) => sum + block.given.tokens,
            0,
          );
          expect(state.given.tokens).toBeLessThanOrEqual(100);
          expect(given).toBeLessThanOrEqual(state.given.tokens);
        }
      }),
    );
  });
});

describe("[BU-14] the factor book", () => {
  it("learns for each agent and model apart", () => {
    const book = new FactorBook();
    const overrun = { estimate: 100, actual: 200, reserved: 120 };
    book.settled("writer", "openai/large", overrun);
    expect(book.of("writer", "openai/large")).toBe(2.1);
    expect(book.of("writer", "openai/small")).toBe(1.2);
    expect(book.of("reader", "openai/large")).toBe(1.2);
  });

  it("goes below 1.0 only when it was told that it may", () => {
    const [careful, allowed] = [new FactorBook(), new FactorBook({ allowFactorBelowOne: true })];
    for (let index = 0; index < 2000; index += 1) {
      for (const book of [careful, allowed]) {
        book.settled("a", "m", { estimate: 1000, actual: 600, reserved: 1200 });
      }
    }
    expect([careful.of("a", "m"), allowed.of("a", "m")]).toEqual([1, 0.63]);
  });
});
