import { describe, expect, it } from "vitest";

import { a, b, Desk, termsOf, tokens } from "./ledger-kit.ts";

describe("the line at nine tenths", () => {
  it.each([
    { limit: 100, settled: 89, tripped: false },
    { limit: 100, settled: 90, tripped: true },
    { limit: 101, settled: 90, tripped: false },
    { limit: 101, settled: 91, tripped: true },
    { limit: 1, settled: 1, tripped: true },
    { limit: 9_007_199_254_740_991, settled: 8_106_479_329_266_891, tripped: false },
    { limit: 9_007_199_254_740_991, settled: 8_106_479_329_266_892, tripped: true },
  ])("[BU-9] [G6] trips $limit at $settled: $tripped", ({ limit, settled, tripped }) => {
    const desk = new Desk(termsOf(limit));
    desk.step("h", settled, settled);
    expect(desk.envelope().tripped).toBe(tripped);
  });

  it("[BU-9] is not reached by reservations: what is not spent does not trip", () => {
    const desk = new Desk(termsOf(100));
    desk.reserve("h1", 100);
    expect(desk.envelope().tripped).toBe(false);
    desk.settle("h1", 10);
    expect(desk.reserve("h2", 90).admitted).toBe(true);
  });

  it("[BU-9] [G6] is told once, lets steps in flight settle from the credit, and admits no normal step", () => {
    const desk = new Desk(termsOf(100));
    desk.reserve("h1", 50);
    desk.reserve("h2", 45);
    desk.reserve("h3", 5);
    for (const hold of ["h1", "h2", "h3"]) desk.dispatch(hold);
    desk.settle("h1", 50);
    desk.settle("h2", 45);
    desk.settle("h3", 5);
    expect(desk.figures()).toEqual([100, 0]);
    expect(desk.reserve("h4", 0)).toMatchObject({ refusal: "tripped", dimension: "tokens" });
    const exhausted = desk.events.filter(({ type }) => type === "budget.exhausted");
    expect(exhausted).toMatchObject([
      { envelope: "run", dimension: "tokens", settled: { tokens: "95" } },
      { envelope: "a", dimension: "tokens", settled: { tokens: "95" } },
    ]);
  });

  it("[BU-9] of a task trips that task alone", () => {
    const desk = new Desk(termsOf(1000), { a: termsOf(10), b: termsOf(10) });
    desk.step("h1", 9, 9);
    expect(desk.reserve("h2", 1)).toMatchObject({ refusal: "tripped", envelope: "a" });
    expect(desk.reserve("h3", 1, desk.spender("b")).admitted).toBe(true);
  });

  it.each([
    { onTrip: "ladder", admitted: true },
    { onTrip: "cache", admitted: false },
    { onTrip: "nothing", admitted: false },
  ] as const)(
    "[BU-9] lets the ladder into the credit remainder with onTrip $onTrip: $admitted",
    ({ onTrip, admitted }) => {
      const terms = termsOf(100, { onTrip });
      const desk = new Desk(terms, { a: terms });
      desk.step("h1", 90, 90);
      expect(desk.reserve("h2", 10, { kind: "ladder" }).admitted).toBe(admitted);
      expect(desk.reserve("h3", 1, { kind: "normal" })).toMatchObject({ refusal: "tripped" });
    },
  );

  it("[BU-9] is the limit itself in strict mode, for the ladder too", () => {
    const terms = termsOf(100, { creditMode: "strict", onTrip: "ladder" });
    const desk = new Desk(terms, { a: terms });
    expect(desk.reserve("h1", 91, { kind: "ladder" })).toMatchObject({ refusal: "never_fits" });
    desk.reserve("h2", 60);
    expect(desk.reserve("h3", 31)).toMatchObject({ refusal: "transient" });
    expect(desk.reserve("h4", 30).admitted).toBe(true);
  });

  it("[BU-9] in strict mode is rounded down: a tenth that is not whole is not given", () => {
    const terms = termsOf(101, { creditMode: "strict" });
    const desk = new Desk(terms, { a: terms });
    expect(desk.reserve("h1", 91)).toMatchObject({ refusal: "never_fits" });
    expect(desk.reserve("h2", 90).admitted).toBe(true);
  });

  it("of a dimension in which nothing may be spent is reached by spending there, not by spending elsewhere", () => {
    const limit = { tokens: 100, nanoUsd: 0, calls: 100 };
    const desk = new Desk(termsOf(0, { limit }), { a: termsOf(1000) });
    desk.step("h1", 10, 10);
    expect(desk.envelope().tripped).toBe(false);
    desk.reserve("h2", 10);
    const actual = { tokens: 1, nanoUsd: 1, calls: 1 };
    desk.move({ type: "settle", ...desk.spender(), holdId: "h2", actual, basis: "usage", at: 1 });
    expect(desk.envelope().tripped).toBe(true);
  });

  it("lets the ladder take a step that needs none of what is overdrawn", () => {
    const limit = { tokens: 100, nanoUsd: 10, calls: 100 };
    const desk = new Desk(termsOf(0, { limit, onTrip: "ladder" }), { a: termsOf(1000) });
    desk.reserve("h1", { tokens: 1, nanoUsd: 10, calls: 1 });
    const actual = { tokens: 1, nanoUsd: 15, calls: 1 };
    desk.move({ type: "settle", ...desk.spender(), holdId: "h1", actual, basis: "usage", at: 1 });
    const free = { tokens: 1, nanoUsd: 0, calls: 1 };
    expect(desk.reserve("h2", free, { kind: "ladder" }).admitted).toBe(true);
    const paid = { ...free, nanoUsd: 1 };
    expect(desk.reserve("h3", paid, { kind: "ladder" })).toMatchObject({ dimension: "nanoUsd" });
  });

  it("[BU-9] [LF-2] is moved by a raise, which clears the trip only when settled is below the new line", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(1000) });
    desk.step("h1", 99, 99);
    const still = desk.move({ type: "raise", envelope: "run", by: tokens(10), at: 1 });
    expect(still).toMatchObject({ tripped: true, limit: { tokens: 110 } });
    const cleared = desk.move({ type: "raise", envelope: "run", by: tokens(1), at: 1 });
    expect(cleared).toMatchObject({ tripped: false, limit: { tokens: 111 } });
    expect(desk.step("h2", 12, 12)).toBe(true);
    const exhausted = desk.events.filter(({ type }) => type === "budget.exhausted");
    expect(exhausted).toHaveLength(2);
  });

  it("a raise of one dimension does not clear the trip of another", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(1000) });
    desk.step("h1", 95, 95);
    const by = { tokens: 0, nanoUsd: 0, calls: 0 };
    expect(desk.move({ type: "raise", envelope: "run", by, at: 1 })).toMatchObject({
      tripped: true,
    });
    expect(desk.move({ type: "raise", envelope: b, by, at: 1 })).toBeUndefined();
  });
});

describe("closing", () => {
  it("[BU-6] stops every reservation and every call that has not left, for good", () => {
    const desk = new Desk();
    desk.reserve("sent", 10);
    desk.dispatch("sent");
    desk.reserve("unsent", 20);
    desk.move({ type: "close", envelope: "run", at: 5 });
    desk.move({ type: "raise", envelope: "run", by: tokens(1000), at: 1 });
    expect(desk.reserve("more", 1)).toMatchObject({ refusal: "closed", envelope: "run" });
    expect(desk.dispatch("unsent")).toBe(false);
    expect(desk.dispatch("sent")).toBe(false);
  });

  it("[B140] still charges what a cancelled step had used, and leaves no hold", () => {
    const desk = new Desk();
    desk.reserve("streaming", 100);
    desk.dispatch("streaming");
    desk.reserve("unsent", 50);
    desk.move({ type: "close", envelope: "run", at: 5 });
    desk.settle("streaming", 37);
    desk.endAttempt();
    expect(desk.allFigures()).toEqual({ run: [37, 0], a: [37, 0] });
    expect(desk.state.open.size).toBe(0);
  });

  it("is told once, and closes a task without its neighbours", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(50), b: termsOf(50) });
    desk.move({ type: "close", envelope: a, at: 5 });
    desk.move({ type: "close", envelope: a, at: 6 });
    expect(desk.reserve("h1", 1)).toMatchObject({ refusal: "closed", envelope: "a" });
    expect(desk.reserve("h2", 1, desk.spender("b")).admitted).toBe(true);
    expect(desk.events.filter(({ type }) => type === "budget.closed")).toEqual([
      { type: "budget.closed", at: 5, runId: "run_1", envelope: "a" },
    ]);
  });
});

describe("freezing", () => {
  it("[BR-17] lasts while any cause is left, however often each was given", () => {
    const desk = new Desk();
    const freeze = (cause: string) => desk.move({ type: "freeze", envelope: "run", cause });
    const unfreeze = (cause: string) => desk.move({ type: "unfreeze", envelope: "run", cause });
    freeze("breaker-1");
    freeze("breaker-1");
    freeze("breaker-2");
    expect(desk.reserve("h", 1)).toMatchObject({ refusal: "frozen", envelope: "run" });
    unfreeze("breaker-1");
    unfreeze("unknown");
    expect(desk.envelope().frozenBy).toEqual(["breaker-2"]);
    unfreeze("breaker-2");
    expect(desk.reserve("h", 1).admitted).toBe(true);
  });

  it("[BR-17] lets steps in hand go on to their end", () => {
    const desk = new Desk();
    desk.reserve("h", 10);
    desk.move({ type: "freeze", envelope: "run", cause: "breaker-1" });
    expect(desk.dispatch("h")).toBe(true);
    expect(desk.settle("h", 7)).toMatchObject({ end: "settled" });
  });
});

describe("fencing", () => {
  it("[BU-6] refuses an older attempt to reserve or send, and never falls", () => {
    const desk = new Desk();
    desk.reserve("h1", 10);
    desk.move({ type: "fence", taskId: a, attempt: 3 });
    desk.move({ type: "fence", taskId: a, attempt: 2 });
    expect(desk.reserve("h2", 1, desk.spender("a", 2))).toMatchObject({ refusal: "fenced" });
    expect(desk.dispatch("h1")).toBe(false);
    expect(desk.reserve("h3", 1, desk.spender("a", 3)).admitted).toBe(true);
    expect(desk.reserve("h4", 1, desk.spender("b", 1))).toMatchObject({ refusal: "closed" });
  });

  it("[BU-6] lets an ended attempt reserve no more, but the next one may", () => {
    const desk = new Desk();
    desk.endAttempt();
    expect(desk.reserve("h1", 1)).toMatchObject({ refusal: "fenced" });
    expect(desk.reserve("h2", 1, desk.spender("a", 2)).admitted).toBe(true);
  });

  it("[BU-20] books what a fenced attempt had sent", () => {
    const desk = new Desk();
    desk.reserve("h", 10);
    desk.dispatch("h");
    desk.move({ type: "fence", taskId: a, attempt: 2 });
    expect(desk.settle("h", 8)).toMatchObject({ end: "settled", charged: tokens(8) });
    expect(desk.figures()).toEqual([8, 0]);
  });
});
