import { getEventListeners } from "node:events";

import {
  Budget,
  defaultEnvelope,
  estimateMessages,
  initialLedger,
  parseUsd,
  reserveModelCall,
} from "@bridle/budget";
import { CodedError } from "@bridle/kernel";
import { sequenceIds, SimulatedClock } from "@bridle/kernel/testing";
import { asTaskId } from "@bridle/protocol";
import type { JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { a, b, Desk, runId, termsOf, tokens } from "./ledger-kit.ts";

const nowhere = asTaskId("nowhere");
const negative = { tokens: 1, nanoUsd: -1, calls: 1 };

describe("a ledger refuses by name and value", () => {
  it.each([0, 101, 50.5, Number.NaN])("[BU-9] a line at %s %", (linePercent) => {
    expect(() => initialLedger({ runId, terms: termsOf(1), linePercent })).toThrow(
      `linePercent must be a whole number from 1 to 100, not ${linePercent}.`,
    );
  });

  it.each([1, 100])("[BU-9] but no line at %s %", (linePercent) => {
    expect(initialLedger({ runId, terms: termsOf(1), linePercent }).linePercent).toBe(linePercent);
  });

  it("[BU-4] an envelope below one that does not exist, and opens none", () => {
    const desk = new Desk();
    const open = { type: "open", taskId: b, terms: termsOf(1), parent: nowhere } as const;

    expect(() => desk.move(open)).toThrow("The envelope nowhere, above b, does not exist.");
    expect(Object.keys(desk.allFigures())).toEqual(["run", "a"]);
  });

  it("[BU-1] amounts that are none, saying which of them", () => {
    const desk = new Desk();
    const must = (what: string): string =>
      `${what}.nanoUsd must be a whole number from 0 to 2^53-1, not -1.`;
    const terms = { ...termsOf(1), limit: negative };

    expect(() => desk.move({ type: "open", taskId: b, terms })).toThrow(must("limit"));
    expect(() => desk.move({ type: "raise", envelope: "run", by: negative, at: 1 })).toThrow(
      must("by"),
    );
    expect(() => desk.reserve("h", negative)).toThrow(must("amounts"));
    desk.reserve("h", 1);
    expect(() =>
      desk.move({
        type: "settle",
        ...desk.spender(),
        holdId: "h",
        actual: negative,
        basis: "usage",
        at: 1,
      }),
    ).toThrow(must("actual"));
    expect(() => desk.reserve("h", 2)).toThrow(
      "Hold h exists with another owner or other amounts.",
    );
  });

  it("[BU-6] [BR-17] nothing done to an envelope that does not exist, and does nothing", () => {
    const desk = new Desk();
    const before = desk.allFigures();
    const envelope = nowhere;

    expect(desk.move({ type: "close", envelope, at: 1 })).toBeUndefined();
    expect(desk.move({ type: "raise", envelope, by: tokens(1), at: 1 })).toBeUndefined();
    expect(desk.move({ type: "freeze", envelope, cause: "c" })).toBeUndefined();
    expect(desk.move({ type: "unfreeze", envelope, cause: "c" })).toBeUndefined();
    expect(desk.move({ type: "unfreeze", envelope: "run", cause: "never froze" })).toBeUndefined();

    expect(desk.allFigures()).toEqual(before);
    expect(desk.events).toEqual([]);
  });
});

describe("a refusal names the dimension that is short, and none where none is", () => {
  it("[BU-8] closed, frozen and never opened are no matter of amounts", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(100), b: termsOf(100) });
    desk.move({ type: "freeze", envelope: a, cause: "c" });
    desk.move({ type: "close", envelope: b, at: 1 });

    expect(desk.reserve("h1", 1)).toMatchObject({ refusal: "frozen", dimension: "none" });
    expect(desk.reserve("h2", 1, desk.spender("b"))).toMatchObject({
      refusal: "closed",
      dimension: "none",
    });
    expect(desk.reserve("h3", 1, desk.spender("nowhere"))).toMatchObject({
      refusal: "closed",
      dimension: "none",
      envelope: "nowhere",
    });
  });

  it("[BU-6] who books without being held to limits is refused only where an envelope is closed or its attempt fenced", () => {
    const desk = new Desk(termsOf(10), { a: termsOf(10), b: termsOf(10) });
    const kind = "unenforced";
    desk.move({ type: "freeze", envelope: a, cause: "c" });
    desk.move({ type: "close", envelope: b, at: 1 });
    desk.move({ type: "fence", taskId: a, attempt: 2 });

    expect(desk.reserve("h1", 1000, { ...desk.spender("a", 2), kind }).admitted).toBe(true);
    expect(desk.reserve("h2", 1, { ...desk.spender("b"), kind })).toMatchObject({
      refusal: "closed",
    });
    expect(desk.reserve("h3", 1, { ...desk.spender("a", 1), kind })).toMatchObject({
      refusal: "fenced",
      dimension: "none",
    });
  });
});

describe("a budget of one run", () => {
  function newBudget(startMs = 7_000) {
    const clock = new SimulatedClock({ startMs });
    const events: JournalEvent[] = [];
    const onEvent = (event: JournalEvent): number => events.push(event);
    const budget = new Budget({ runId, terms: termsOf(100), clock, ids: sequenceIds(), onEvent });
    budget.open(a, termsOf(100));
    return { budget, clock, events };
  }
  const ask = (amount: number) => ({ taskId: a, attempt: 1, step: 1, amounts: tokens(amount) });

  it("dates its events with the wall, however long the machine has been up", () => {
    const { budget, clock, events } = newBudget();
    const wallMs = clock.wallMs();
    clock.advance(250);
    budget.reserve(ask(1));

    expect(events.map(({ at }) => at)).toEqual([wallMs + 250]);
  });

  it("[G1] refuses at once who waits for an envelope that nobody opened", async () => {
    const { budget } = newBudget();

    await expect(budget.reserveWithin({ ...ask(1), taskId: nowhere })).resolves.toMatchObject({
      admitted: false,
      refusal: "closed",
    });
  });

  it("takes a step for an ordinary one and a charge for the provider's, unless told otherwise", () => {
    const { budget, events } = newBudget();
    const hold = budget.reserve(ask(90));
    if (!hold.admitted) throw new Error(`Refused: ${hold.refusal}.`);
    expect(hold.holdId).toMatch(/^hold/);
    hold.dispatch();

    expect(hold.settle(tokens(90))).toMatchObject({ end: "settled", basis: "usage" });
    expect(events).toContainEqual(
      expect.objectContaining({ type: "budget.settled", basis: "usage" }),
    );
    expect(budget.reserve(ask(1))).toMatchObject({ refusal: "tripped" });
  });

  it("lets go of the signal when a wait is over", async () => {
    const { budget } = newBudget();
    const hold = budget.reserve(ask(100));
    if (!hold.admitted) throw new Error(`Refused: ${hold.refusal}.`);
    const { signal } = new AbortController();
    const waited = budget.reserveWithin(ask(10), { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);

    hold.release();

    await expect(waited).resolves.toMatchObject({ admitted: true });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a price", () => {
  it.each([
    [1e-7, 100],
    [1.5e-8, 15],
    [2.5e-9, undefined],
    [1e-10, undefined],
    [1e21, undefined],
  ])("[BU-2] of %d dollars is never rounded, least of all to nothing", (usd, nanoUsd) => {
    expect(parseUsd(usd)).toBe(nanoUsd);
  });
});

describe("amounts of money that are none", () => {
  it.each([-1, 1e9, 0.0000000001, Number.NaN])("[B133] maxUsd: %s is refused", (maxUsd) => {
    let thrown: unknown;
    try {
      defaultEnvelope({ maxUsd });
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(CodedError);
    expect(thrown).toMatchObject({
      code: "config_invalid",
      message: `maxUsd is ${maxUsd}; write US dollars up to 9,000,000 with at most nine decimals.`,
      details: { key: "maxUsd", value: maxUsd },
    });
  });

  it("[BU-1] nor are nine and a half million dollars: they leave the exact integers", () => {
    expect(() => defaultEnvelope({ maxUsd: 9_500_000 })).toThrow(/maxUsd is 9500000/);
  });
});

describe("an estimate", () => {
  it("[BU-15] without a family is as careful as the most careful one", () => {
    const messages = [{ role: "user", content: "Übermorgen: 日本語, and plain prose as well." }];

    expect(estimateMessages(messages)).toEqual(estimateMessages(messages, "other"));
    expect(estimateMessages(messages).tokens).toBeGreaterThan(
      estimateMessages(messages, "openai").tokens,
    );
  });

  it.each([0, -1, Number.NaN])("[BU-7] takes no factor of %s, and says so", (factor) => {
    const plan = {
      input: { tokens: 1, most: 1 },
      maxOutputTokens: 1,
      price: { input: 1, output: 1 },
      factor,
    };

    expect(() => reserveModelCall(plan)).toThrow(
      `The factor must be a positive number, not ${factor}.`,
    );
  });
});

it("every event of a run carries its trace, where it has one", () => {
  const state = initialLedger({ runId, traceId: "trace-1", terms: termsOf(100) });
  const desk = new Desk();
  Object.assign(desk, { state });
  desk.move({ type: "open", taskId: a, terms: termsOf(100) });
  desk.step("h1", 50, 95);
  desk.reserve("h2", 1);
  desk.reserve("h3", 200);
  desk.move({ type: "close", envelope: "run", at: 5 });

  expect(desk.events.length).toBeGreaterThan(4);
  for (const event of desk.events) expect(event).toMatchObject({ runId, traceId: "trace-1" });
});
