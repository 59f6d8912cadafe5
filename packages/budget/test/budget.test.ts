import { Budget } from "@bridle/budget";
import type { Ask, BudgetOptions } from "@bridle/budget";
import { sequenceIds, SimulatedClock } from "@bridle/kernel/testing";
import type { JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { a, b, runId, termsOf, tokens } from "./ledger-kit.ts";

function newBudget(limit = 100, overrides: Partial<BudgetOptions> = {}) {
  const clock = new SimulatedClock();
  const events: JournalEvent[] = [];
  const budget = new Budget({
    runId,
    terms: termsOf(limit),
    clock,
    ids: sequenceIds(),
    onEvent: (event) => events.push(event),
    ...overrides,
  });
  budget.open(a, termsOf(limit));
  budget.open(b, termsOf(limit));
  return { budget, clock, events };
}

function ask(amount: number, overrides: Partial<Ask> = {}): Ask {
  return { taskId: a, attempt: 1, step: 1, amounts: tokens(amount), ...overrides };
}

function admitted(budget: Budget, amount: number, overrides: Partial<Ask> = {}) {
  const hold = budget.reserve(ask(amount, overrides));
  if (!hold.admitted) throw new Error(`Refused: ${hold.refusal}.`);
  return hold;
}

/** Turns promises into a list of who was answered, in order. */
function recorder() {
  const answers: string[] = [];
  const record = (name: string, promise: Promise<{ admitted: boolean }>) =>
    promise.then(
      (answer) => answers.push(`${name} ${answer.admitted ? "admitted" : "refused"}`),
      (error: unknown) => answers.push(`${name} ${String(error)}`),
    );
  return { answers, record };
}

describe("a budget", () => {
  it("[GC-2] tells its listener of each move once, when the state has already changed", () => {
    const reservedWhenTold: number[] = [];
    const holder: { budget?: Budget } = {};
    const { budget, events } = newBudget(100, {
      onEvent: (event) => {
        events.push(event);
        reservedWhenTold.push(holder.budget?.envelopes()[0]?.reserved.tokens ?? -1);
      },
    });
    holder.budget = budget;
    const hold = admitted(budget, 40);
    hold.dispatch();
    hold.settle(tokens(30));
    expect(events.map(({ type }) => type)).toEqual(["budget.reserved", "budget.settled"]);
    expect(reservedWhenTold).toEqual([40, 0]);
  });

  it("dates events with wall time, and expires nothing because the wall clock jumped", () => {
    const { budget, clock, events } = newBudget();
    const start = clock.wallMs();
    admitted(budget, 10);
    clock.jumpWall(3_600_000);
    expect(budget.expire()).toBe(0);
    clock.advance(60_001);
    expect(budget.expire()).toBe(1);
    expect(events.map(({ at }) => at - start)).toEqual([0, 60_001]);
  });

  it("[BU-11] keeps a hold that its owner renews", () => {
    const { budget, clock } = newBudget();
    const hold = admitted(budget, 10);
    for (let round = 0; round < 40; round += 1) {
      clock.advance(15_000);
      hold.renew();
      expect(budget.expire()).toBe(0);
    }
    clock.advance(60_001);
    expect(budget.expire()).toBe(1);
  });

  it("gives back, closes, fences, freezes and raises like the ledger it stands on", () => {
    const { budget } = newBudget();
    const hold = admitted(budget, 100);
    expect(hold.release()).toEqual({ end: "released" });
    budget.freeze("run", "breaker");
    expect(budget.reserve(ask(1))).toMatchObject({ refusal: "frozen" });
    budget.unfreeze("run", "breaker");
    budget.fence(a, 2);
    expect(budget.reserve(ask(1))).toMatchObject({ refusal: "fenced" });
    expect(budget.raise("run", tokens(50))).toMatchObject({ limit: { tokens: 150 } });
    admitted(budget, 5, { attempt: 2 });
    budget.endAttempt(a, 2);
    expect(budget.openHolds()).toEqual([]);
    budget.close("run");
    expect(budget.reserve(ask(1, { taskId: b }))).toMatchObject({ refusal: "closed" });
  });
});

describe("[BU-8] waiting for money", () => {
  it("is served in the order of arrival when others end, also where a later one would fit sooner", async () => {
    const { budget, clock } = newBudget();
    const first = admitted(budget, 60);
    const second = admitted(budget, 40);
    const { answers, record } = recorder();
    void record("big", budget.reserveWithin(ask(90)));
    void record("small", budget.reserveWithin(ask(10)));
    first.release();
    await clock.advanceAsync(0);
    expect(answers).toEqual([]);
    second.release();
    await clock.advanceAsync(0);
    expect(answers).toEqual(["big admitted", "small admitted"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not hold up those who need another envelope", async () => {
    const { budget, clock } = newBudget(1000);
    budget.open("c" as typeof a, termsOf(10));
    const c = { taskId: "c" as typeof a };
    admitted(budget, 10, c);
    const { answers, record } = recorder();
    void record("stuck", budget.reserveWithin(ask(5, c)));
    void record("free", budget.reserveWithin(ask(5, { taskId: b })));
    await clock.advanceAsync(0);
    expect(answers).toEqual([]);
    budget.raise("run", tokens(0));
    await clock.advanceAsync(0);
    expect(answers).toEqual(["free admitted"]);
  });

  it("ends after 30 seconds with the refusal, and holds nothing meanwhile", async () => {
    const { budget, clock } = newBudget();
    admitted(budget, 100);
    const { answers, record } = recorder();
    void record("waiter", budget.reserveWithin(ask(1)));
    await clock.advanceAsync(29_999);
    expect(answers).toEqual([]);
    expect(budget.openHolds()).toHaveLength(1);
    await clock.advanceAsync(1);
    expect(answers).toEqual(["waiter refused"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    ["the envelope closes", (budget: Budget) => budget.close("run")],
    ["a raise makes room", (budget: Budget) => budget.raise("run", tokens(50))],
    ["the holder's attempt ends", (budget: Budget) => budget.endAttempt(b, 1)],
  ])("ends when %s", async (_, change) => {
    const { budget, clock } = newBudget();
    budget.raise(a, tokens(50));
    admitted(budget, 100, { taskId: b });
    const { answers, record } = recorder();
    void record("waiter", budget.reserveWithin(ask(1)));
    await clock.advanceAsync(10);
    expect(answers).toEqual([]);
    change(budget);
    await clock.advanceAsync(0);
    expect(answers).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it("ends with the abort's reason, and its place in the line is free", async () => {
    const { budget, clock } = newBudget();
    const hold = admitted(budget, 100);
    const { answers, record } = recorder();
    const controller = new AbortController();
    const { signal } = controller;
    void record("gone", budget.reserveWithin(ask(80), { signal }));
    void record("next", budget.reserveWithin(ask(80)));
    controller.abort("cancelled");
    hold.release();
    await clock.advanceAsync(0);
    expect(answers).toEqual(["gone cancelled", "next admitted"]);
    await expect(budget.reserveWithin(ask(1), { signal })).rejects.toBe("cancelled");
  });

  it("is not for what can never fit", async () => {
    const { budget, clock } = newBudget();
    await expect(budget.reserveWithin(ask(101))).resolves.toMatchObject({ refusal: "never_fits" });
    expect(clock.pendingTimers).toBe(0);
  });
});
