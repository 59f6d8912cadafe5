import { describe, expect, it } from "vitest";

import { a, Desk, termsOf, tokens } from "./ledger-kit.ts";

describe("a hold", () => {
  it("[G2] [G3] [BU-11] is reserved, sent and settled, and what was not used is free again", () => {
    const desk = new Desk(termsOf(100));
    desk.reserve("h", 48);
    expect(desk.allFigures()).toEqual({ run: [0, 48], a: [0, 48] });
    expect(desk.dispatch("h")).toBe(true);
    expect(desk.settle("h", 40)).toEqual({
      end: "settled",
      charged: tokens(40),
      overrun: false,
      basis: "usage",
    });
    expect(desk.allFigures()).toEqual({ run: [40, 0], a: [40, 0] });
    expect(desk.eventTypes()).toEqual(["budget.reserved", "budget.settled"]);
  });

  it("[BU-11] frees everything when it is released before it was sent", () => {
    const desk = new Desk();
    desk.reserve("h", 48);
    expect(desk.release("h")).toEqual({ end: "released" });
    expect(desk.figures()).toEqual([0, 0]);
    expect(desk.events.at(-1)).toMatchObject({ type: "budget.released", reason: "undispatched" });
  });

  it("[BU-12] [G8] is charged in full when it is released after it was sent", () => {
    const desk = new Desk();
    desk.reserve("h", 48);
    desk.dispatch("h");
    const end = { end: "settled", charged: tokens(48), overrun: false, basis: "unknown" };
    expect(desk.release("h")).toEqual(end);
    expect(desk.figures()).toEqual([48, 0]);
  });

  it("[BU-12] is charged in full above what was reserved, with an overrun in the log", () => {
    const desk = new Desk(termsOf(1000), { a: termsOf(50) });
    desk.reserve("h", 48);
    desk.dispatch("h");
    expect(desk.settle("h", 96)).toMatchObject({ charged: tokens(96), overrun: true });
    expect(desk.allFigures()).toEqual({ run: [96, 0], a: [96, 0] });
    expect(desk.eventTypes().slice(1)).toEqual([
      "budget.settled",
      "budget.overrun",
      "budget.exhausted",
    ]);
  });

  it.each([
    ["settled", (desk: Desk) => desk.settle("h", 7)],
    ["released", (desk: Desk) => desk.release("h")],
    ["expired", (desk: Desk) => desk.expire(2000)],
    ["ended with its attempt", (desk: Desk) => desk.endAttempt()],
  ])(
    "[BU-11] ends once: when it was %s, later endings get that answer and change nothing",
    (_, end) => {
      for (const sent of [true, false]) {
        const desk = new Desk();
        desk.reserve("h", 10);
        if (sent) desk.dispatch("h");
        end(desk);
        const [before, events] = [desk.allFigures(), desk.events.length];
        const answer = desk.settle("h", 99);
        expect(answer.end).toMatch(/settled|released/);
        expect([desk.release("h"), desk.settle("h", 3), desk.release("h")]).toEqual([
          answer,
          answer,
          answer,
        ]);
        expect([desk.expire(9999), desk.dispatch("h")]).toEqual([0, false]);
        expect([desk.allFigures(), desk.events.length]).toEqual([before, events]);
      }
    },
  );

  it("[BU-11] [BU-12] expires when it was not renewed: unsent for nothing, sent at what was reserved", () => {
    const desk = new Desk();
    desk.reserve("unsent", 10);
    desk.reserve("sent", 20);
    desk.dispatch("sent");
    desk.reserve("renewed", 40);
    desk.move({ type: "renew", holdIds: ["renewed", "unknown"], at: 5000 });
    expect(desk.expire(1000)).toBe(0);
    expect(desk.expire(1001)).toBe(2);
    expect(desk.figures()).toEqual([20, 40]);
    expect(desk.settle("sent", 19)).toMatchObject({ charged: tokens(20), basis: "unknown" });
    expect(desk.figures()).toEqual([20, 40]);
    expect(desk.events.slice(3)).toMatchObject([
      { type: "budget.released", holdId: "unsent", reason: "expired" },
      { type: "budget.settled", holdId: "sent", basis: "unknown" },
    ]);
  });

  it("[B137] stays while a ten-minute call renews it, and a renewal never takes time back", () => {
    const desk = new Desk();
    desk.reserve("long", 10);
    for (let at = 1000; at <= 601_000; at += 15_000) {
      desk.move({ type: "renew", holdIds: ["long"], at });
      expect(desk.expire(at - 60_000)).toBe(0);
    }
    desk.move({ type: "renew", holdIds: ["long"], at: 1 });
    expect(desk.expire(601_000)).toBe(0);
  });

  it("[B137] is named by its id: the first to end is the one that is meant", () => {
    const desk = new Desk();
    desk.reserve("first", 10);
    desk.reserve("second", 20);
    desk.release("second");
    desk.settle("first", 3);
    expect(desk.figures()).toEqual([3, 0]);
  });

  it("[GC-6] belongs to its attempt: no other task or attempt can end or send it", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(50), b: termsOf(50) });
    desk.reserve("h", 10);
    for (const stranger of [desk.spender("b"), desk.spender("a", 2)]) {
      expect(desk.settle("h", 1, stranger)).toEqual({ end: "unknown_hold" });
      expect(desk.release("h", stranger)).toEqual({ end: "unknown_hold" });
      expect(desk.dispatch("h", stranger)).toBe(false);
    }
    expect(desk.figures()).toEqual([0, 10]);
  });

  it("is held once when its reservation is repeated, and its id cannot be used for something else", () => {
    const desk = new Desk();
    desk.reserve("h", 10);
    expect(desk.reserve("h", 10)).toEqual({ admitted: true, holdId: "h" });
    expect(() => desk.reserve("h", 11)).toThrow(/another owner or other amounts/);
    expect(() => desk.reserve("h", 10, { attempt: 2 })).toThrow(RangeError);
    expect(desk.figures()).toEqual([0, 10]);
    expect(desk.eventTypes()).toEqual(["budget.reserved"]);
  });

  it("[B128] is charged per attempt, each once, and the run has the sum", () => {
    const desk = new Desk();
    desk.step("first", 10, 4);
    desk.endAttempt("a", 1);
    desk.move({ type: "fence", taskId: a, attempt: 2 });
    const second = desk.spender("a", 2);
    desk.reserve("second", 10, second);
    desk.dispatch("second", second);
    desk.settle("second", 6, second);
    desk.settle("first", 4);
    expect(desk.figures()).toEqual([10, 0]);
  });

  it("is unknown once its run's tombstones are dropped, and then charges nothing", () => {
    const desk = new Desk();
    desk.step("h", 10, 4);
    desk.move({ type: "forget" });
    expect(desk.settle("h", 9)).toEqual({ end: "unknown_hold" });
    expect(desk.figures()).toEqual([4, 0]);
  });
});

describe("the end of an attempt", () => {
  it("[S7] [G7] leaves nothing of a killed task's holds to eat the credit", () => {
    const desk = new Desk(termsOf(100));
    desk.reserve("sent", 30);
    desk.dispatch("sent");
    desk.reserve("unsent", 60);
    expect(desk.reserve("other", 50)).toMatchObject({ refusal: "transient" });
    expect(desk.endAttempt()).toBe(2);
    expect(desk.allFigures()).toEqual({ run: [30, 0], a: [30, 0] });
    const next = desk.spender("a", 2);
    expect(desk.reserve("other", 50, next).admitted).toBe(true);
    expect(desk.events.slice(3, 5)).toMatchObject([
      { type: "budget.settled", holdId: "sent", basis: "unknown" },
      { type: "budget.released", holdId: "unsent", reason: "attempt_ended" },
    ]);
  });

  it("[B122] frees what was reserved on every way out, fifty times over", () => {
    const ways: ((desk: Desk, hold: string) => unknown)[] = [
      (desk, hold) => desk.settle(hold, 3),
      (desk, hold) => desk.release(hold),
      (desk) => desk.expire(9999),
      (desk) => desk.move({ type: "end-attempt", ...desk.spender(), at: 1, final: false }),
    ];
    for (const [index, way] of ways.entries()) {
      const desk = new Desk(termsOf(100_000));
      for (let round = 0; round < 50; round += 1) {
        desk.reserve(`h${round}`, 10);
        desk.dispatch(`h${round}`);
        way(desk, `h${round}`);
      }
      expect([index, ...desk.figures()]).toEqual([index, index === 0 ? 150 : 500, 0]);
    }
  });

  it("[B130] ends each of hundreds of envelopes' holds by its own", () => {
    const names = Array.from({ length: 250 }, (_, index) => `t${index}`);
    const desk = new Desk(
      termsOf(1000),
      Object.fromEntries(names.map((name) => [name, termsOf(4)])),
    );
    for (const name of names) desk.reserve(name, 2, desk.spender(name));
    for (const name of names) desk.settle(name, 1, desk.spender(name));
    const expected = Object.fromEntries(names.map((name) => [name, [1, 0]]));
    expect(desk.allFigures()).toEqual({ run: [250, 0], ...expected });
  });

  it("charges only the attempt that is meant", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(50), b: termsOf(50) });
    desk.reserve("mine", 10);
    desk.reserve("next", 20, desk.spender("a", 2));
    desk.reserve("theirs", 30, desk.spender("b"));
    expect(desk.endAttempt("a", 1)).toBe(1);
    expect(desk.figures()).toEqual([0, 50]);
  });
});
