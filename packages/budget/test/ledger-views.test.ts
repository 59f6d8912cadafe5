import { PriceTable, selectCharged, selectOpenHolds } from "@bridle/budget";
import { asRunId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { a, Desk, runId, termsOf, tokens } from "./ledger-kit.ts";

describe("what a ledger shows", () => {
  it("[BU-11] each open hold, sent or not", () => {
    const desk = new Desk();
    desk.reserve("h1", 5);
    desk.reserve("h2", 7);
    desk.dispatch("h2");
    const facts = { runId, taskId: a, attempt: 1, step: 1 };

    expect(selectOpenHolds(desk.state)).toEqual([
      { ...facts, holdId: "h1", amounts: tokens(5), status: "held" },
      { ...facts, holdId: "h2", amounts: tokens(7), status: "dispatched" },
    ]);
  });

  it("[BB-1] what was charged since an instant: released holds cost nothing", () => {
    const desk = new Desk();
    desk.step("h1", 5, 5);
    desk.at = 2000;
    desk.step("h2", 7, 6);
    desk.reserve("h3", 9);
    desk.release("h3");
    desk.at = 3000;
    desk.step("h4", 11, 11);

    expect(
      [1000, 2000, 2001, 3001].map((since) => selectCharged(desk.state, since).tokens),
    ).toEqual([22, 17, 11, 0]);
  });

  it("[LF-2] a raise, with what it added and what the limit is now", () => {
    const desk = new Desk(termsOf(100));
    desk.move({ type: "raise", envelope: "run", by: tokens(50), at: 7 });

    expect(desk.events).toMatchObject([
      {
        type: "budget.raised",
        at: 7,
        runId,
        envelope: "run",
        raisedBy: { tokens: "50" },
        limit: { tokens: "150" },
      },
    ]);
    expect(desk.events[0]).not.toHaveProperty("traceId");
  });

  it("[BU-11] how many holds were renewed, among those asked for", () => {
    const desk = new Desk();
    desk.reserve("h1", 5);
    desk.reserve("h2", 5);

    expect(desk.move({ type: "renew", holdIds: ["h1", "gone", "h2"], at: 9 })).toBe(2);
  });

  it("[GC-6] another run's hold of the same name is not this run's", () => {
    const desk = new Desk();
    desk.reserve("h1", 5);

    expect(desk.release("h1", { ...desk.spender(), runId: asRunId("run_2") })).toEqual({
      end: "unknown_hold",
    });
    expect(desk.figures()).toEqual([0, 5]);
  });

  it("[BR-17] a cause that never froze lifts nothing", () => {
    const desk = new Desk();
    desk.move({ type: "freeze", envelope: "run", cause: "first" });
    desk.move({ type: "freeze", envelope: "run", cause: "second" });
    desk.move({ type: "unfreeze", envelope: "run", cause: "never" });
    expect(desk.envelope().frozenBy).toEqual(["first", "second"]);

    desk.move({ type: "unfreeze", envelope: "run", cause: "first" });

    expect(desk.envelope().frozenBy).toEqual(["second"]);
    desk.move({ type: "forget" });
    expect(desk.events).toEqual([]);
  });
});

describe("[BU-8] of two refusals on one path the one that waiting helps least is told", () => {
  type Fault = (desk: Desk, envelope: "run" | typeof a) => void;
  const faults: Readonly<Record<string, Fault>> = {
    closed: (desk, envelope) => desk.move({ type: "close", envelope, at: 1 }),
    frozen: (desk, envelope) => desk.move({ type: "freeze", envelope, cause: "c" }),
    tripped: (desk, envelope) => {
      const record = desk.state.envelopes.get(envelope);
      if (record !== undefined) record.trippedBy = "calls";
    },
    never_fits: (desk, envelope) => {
      const record = desk.state.envelopes.get(envelope);
      if (record !== undefined) record.settled = tokens(100);
    },
    transient: (desk, envelope) => {
      const record = desk.state.envelopes.get(envelope);
      if (record !== undefined) record.reserved = tokens(100);
    },
  };
  const order = Object.keys(faults);
  const pairs = order.flatMap((worse, index) =>
    order.slice(index + 1).map((milder) => ({ worse, milder })),
  );

  it.each(pairs)("$worse before $milder, whichever is nearer the root", ({ worse, milder }) => {
    for (const [root, leaf] of [
      [worse, milder],
      [milder, worse],
    ] as const) {
      const desk = new Desk(termsOf(100));
      faults[root]?.(desk, "run");
      faults[leaf]?.(desk, a);

      expect(desk.reserve("h", 10)).toMatchObject({ refusal: worse });
    }
  });
});

describe("[BU-2] a model without a price", () => {
  it("is refused by its name, with what to do", () => {
    let thrown: unknown;
    try {
      new PriceTable({ prices: {} }).of("acme/large");
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toMatchObject({
      code: "price_unknown",
      message: "acme/large has no price. Add one, or state a default price for unlisted models.",
      details: { model: "acme/large" },
    });
  });

  it("has the stated default, also where nobody wants to be told", () => {
    const defaultPrice = { input: 1, output: 2 };

    expect(new PriceTable({ prices: {}, defaultPrice }).of("acme/large")).toBe(defaultPrice);
  });
});
