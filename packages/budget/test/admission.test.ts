import { describe, expect, it } from "vitest";

import { a, b, Desk, termsOf, tokens } from "./ledger-kit.ts";

const most = Number.MAX_SAFE_INTEGER;

/** Steps taken one at a time until the ledger refuses, at most 1,000. */
function stepsUntilRefused(
  { factor, actual }: { readonly factor: number; readonly actual: number },
  desk: Desk,
): number {
  const reserved = Math.ceil(4000 * factor);
  for (let done = 0; done < 1000; done += 1) {
    if (!desk.step(`h${done}`, reserved, actual)) return done;
  }
  return 1000;
}

describe("admission", () => {
  it.each([
    { name: "factor 1.0 without line", factor: 1, actual: 4000, line: 100, steps: 250 },
    { name: "defaults", factor: 1.2, actual: 4000, steps: 225 },
    { name: "strict × 1.2", factor: 1.2, actual: 4000, steps: 224, strict: true },
    { name: "real use 2,400", factor: 1.2, actual: 2400, steps: 375 },
    { name: "real use 8,000", factor: 1.2, actual: 8000, steps: 113 },
  ])(
    "[BU-10] [G4] allows exactly $steps steps of 4,000 from 1,000,000: $name",
    ({ factor, actual, line, steps, strict = false }) => {
      const terms = termsOf(1_000_000, strict ? { creditMode: "strict" } : {});
      const desk = new Desk(terms, { a: terms }, line);
      expect(stepsUntilRefused({ factor, actual }, desk)).toBe(steps);
      expect(desk.figures()).toEqual([steps * actual, 0]);
    },
  );

  it.each(["tokens", "nanoUsd", "calls"] as const)(
    "[BU-1] [G9] enforces the limit of %s, whatever is left of the others",
    (dimension) => {
      const limit = { tokens: most, nanoUsd: most, calls: most, [dimension]: 10 };
      const desk = new Desk(termsOf(0, { limit }), { a: termsOf(most) });
      const amounts = { tokens: 1, nanoUsd: 1, calls: 1, [dimension]: 11 };
      expect(desk.reserve("h", amounts)).toMatchObject({
        refusal: "never_fits",
        envelope: "run",
        dimension,
        requested: amounts,
        limit,
      });
      expect(desk.reserve("fits", { ...amounts, [dimension]: 10 }).admitted).toBe(true);
    },
  );

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    "[BU-1] takes %d for a mistake, not for an amount",
    (amount) => {
      const desk = new Desk();
      expect(() => desk.reserve("h", amount)).toThrow(RangeError);
      desk.reserve("ok", 1);
      expect(() => desk.settle("ok", amount)).toThrow(RangeError);
      expect(desk.figures()).toEqual([0, 1]);
    },
  );

  it("[BU-1] counts exactly up to 2^53-1, and a charge beyond it stops there", () => {
    const desk = new Desk(termsOf(most));
    expect(desk.reserve("h1", most - 1).admitted).toBe(true);
    expect(desk.reserve("h2", 1).admitted).toBe(true);
    expect(desk.reserve("h3", 1)).toMatchObject({ refusal: "transient" });
    desk.settle("h1", most);
    desk.settle("h2", most);
    expect(desk.figures()).toEqual([most, 0]);
  });

  it("[BU-4] [G1] debits run and task in one move, or none of them", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(60), b: termsOf(60) });
    expect(desk.reserve("h1", 60).admitted).toBe(true);
    expect(desk.reserve("h2", 41, desk.spender("b"))).toMatchObject({
      refusal: "transient",
      envelope: "run",
    });
    expect(desk.allFigures()).toEqual({ run: [0, 60], a: [0, 60], b: [0, 0] });
  });

  it("[BU-4] [B136] refuses a child while its parent has not enough left, and charges every ancestor", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(10) });
    desk.move({ type: "open", taskId: b, terms: termsOf(10), parent: a });
    desk.step("own", 9, 8);
    expect(desk.reserve("child", 5, desk.spender("b"))).toMatchObject({
      refusal: "never_fits",
      envelope: "a",
    });
    expect(desk.reserve("fits", 2, desk.spender("b")).admitted).toBe(true);
    desk.settle("fits", 2, desk.spender("b"));
    expect(desk.allFigures()).toEqual({ run: [10, 0], a: [10, 0], b: [2, 0] });
  });

  it("[BU-4] takes a task's limit as a cap: many of them may together exceed the run's, which still holds", () => {
    const caps = Object.fromEntries(["a", "b", "c"].map((task) => [task, termsOf(60)]));
    const desk = new Desk(termsOf(100), caps);
    const admitted = ["a", "b", "c"].map((t) => desk.reserve(t, 50, desk.spender(t)).admitted);
    expect(admitted).toEqual([true, true, false]);
  });

  it("[G1] [B121] pays nothing for a task whose envelope was never opened", () => {
    const desk = new Desk();
    const refusal = desk.reserve("h", 1, desk.spender("stranger"));
    expect(refusal).toMatchObject({ refusal: "closed", envelope: "stranger", limit: tokens(0) });
    expect(desk.figures()).toEqual([0, 0]);
  });

  it("[B121] keeps the limits and the spending of an envelope that is opened again", () => {
    const desk = new Desk(termsOf(100), { a: termsOf(5) });
    desk.step("h", 3, 3);
    desk.move({ type: "open", taskId: a, terms: termsOf(1000) });
    expect(desk.envelope(a)).toMatchObject({ ...termsOf(5), settled: tokens(3) });
  });

  describe("[BU-8] tells why it refuses", () => {
    it.each([
      { name: "what can never fit", reserved: 0, ask: 101, refusal: "never_fits" },
      { name: "what would fit if others ended", reserved: 60, ask: 60, refusal: "transient" },
    ])("$name is $refusal, with the level and its figures", ({ reserved, ask, refusal }) => {
      const desk = new Desk(termsOf(100));
      desk.reserve("other", reserved);
      expect(desk.reserve("h", ask)).toEqual({
        admitted: false,
        refusal,
        envelope: "run",
        dimension: "tokens",
        requested: tokens(ask),
        settled: tokens(0),
        reserved: tokens(reserved),
        limit: termsOf(100).limit,
      });
    });

    it("of a run that is full for now and a task that can never pay, the hopeless one: nobody waits in vain", () => {
      const desk = new Desk(termsOf(100), { a: termsOf(50), b: termsOf(100) });
      desk.reserve("other", 60, { taskId: b });
      expect(desk.reserve("h", 51)).toMatchObject({ refusal: "never_fits", envelope: "a" });
      // The control: what the task could pay, only the run refuses, and only for now.
      expect(desk.reserve("h", 50)).toMatchObject({ refusal: "transient", envelope: "run" });
    });

    it("what was settled cannot come back: asking for more than the rest never fits", () => {
      const desk = new Desk(termsOf(100));
      desk.step("done", 50, 50);
      desk.reserve("open", 40);
      expect(desk.reserve("h1", 50)).toMatchObject({ refusal: "transient" });
      expect(desk.reserve("h2", 51)).toMatchObject({ refusal: "never_fits" });
    });

    it("the reason that waiting helps least comes first, wherever on the path it lies", () => {
      const desk = new Desk(termsOf(100), { a: termsOf(100) });
      desk.reserve("other", 100);
      expect(desk.reserve("h", 1)).toMatchObject({ refusal: "transient", envelope: "run" });
      desk.move({ type: "freeze", envelope: a, cause: "breaker-1" });
      expect(desk.reserve("h", 1)).toMatchObject({ refusal: "frozen", envelope: "a" });
      desk.move({ type: "close", envelope: a, at: 1 });
      expect(desk.reserve("h", 1)).toMatchObject({ refusal: "closed", envelope: "a" });
      desk.move({ type: "fence", taskId: a, attempt: 2 });
      expect(desk.reserve("h", 1)).toMatchObject({ refusal: "fenced", dimension: "none" });
    });

    it("a refusal changes nothing, and stands in the log unless the attempt is fenced", () => {
      const desk = new Desk(termsOf(100));
      desk.reserve("h", 101);
      desk.move({ type: "fence", taskId: a, attempt: 2 });
      desk.reserve("h", 1);
      expect(desk.allFigures()).toEqual({ run: [0, 0], a: [0, 0] });
      expect(desk.events).toEqual([
        {
          type: "budget.refused",
          at: 1000,
          ...desk.spender(),
          step: 1,
          refusal: "never_fits",
          envelope: "run",
          requested: { tokens: "101", nanoUsd: "0", calls: "0" },
          settled: { tokens: "0", nanoUsd: "0", calls: "0" },
          reserved: { tokens: "0", nanoUsd: "0", calls: "0" },
          limit: { tokens: "100", nanoUsd: String(most), calls: String(most) },
        },
      ]);
    });
  });
});
