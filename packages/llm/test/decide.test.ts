import { failureClasses } from "@bridle/ports";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { classRules, decide, wireCallBound } from "../src/index.ts";
import type { DecisionInput } from "../src/index.ts";

const calm: DecisionInput = {
  class: "server_error",
  stage: "before_output",
  tries: 1,
  retryAfterMs: undefined,
  shouldRetry: undefined,
  priority: "foreground",
  hasNextTarget: false,
  leftMs: Number.POSITIVE_INFINITY,
  chance: 0,
};

function decided(more: Partial<DecisionInput>) {
  return decide({ ...calm, ...more });
}

/** Delays of all retries on one target, until something else is decided. */
function delays(more: Partial<DecisionInput>): readonly number[] {
  const found: number[] = [];
  for (let tries = 1; tries < 100; tries += 1) {
    const decision = decided({ ...more, tries });
    if (decision.action !== "retry") return found;
    found.push(decision.delayMs);
  }
  return found;
}

const anyInput = fc.record<DecisionInput>({
  class: fc.constantFrom(...failureClasses),
  stage: fc.constantFrom("before_output", "after_output"),
  tries: fc.integer({ min: 1, max: 50 }),
  retryAfterMs: fc.option(fc.integer({ min: 1, max: 10 ** 10 }), { nil: undefined }),
  shouldRetry: fc.option(fc.boolean(), { nil: undefined }),
  priority: fc.constantFrom("foreground", "background"),
  hasNextTarget: fc.boolean(),
  leftMs: fc.double({ min: -1000, max: 10 ** 7, noNaN: true }),
  chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

describe("before the first output", () => {
  it("[L11] waits 1 s, 2 s, 4 s and then surfaces", () => {
    expect(delays({})).toEqual([1000, 2000, 4000]);
    expect(decided({ tries: 4 })).toEqual({ action: "surface", code: "model_server_error" });
  });

  it("[L11] adds up to a quarter as jitter, never takes away (D3)", () => {
    expect(decided({ chance: 0.999 })).toEqual({ action: "retry", delayMs: 1250 });
  });

  it("[L11] [S11] takes Retry-After as a floor, in full, with jitter on top (D2)", () => {
    expect(decided({ class: "rate_limit", retryAfterMs: 45_000 })).toEqual({
      action: "retry",
      delayMs: 45_000,
    });
    expect(decided({ class: "rate_limit", retryAfterMs: 45_000, chance: 0.5 })).toEqual({
      action: "retry",
      delayMs: 50_625,
    });
    expect(decided({ retryAfterMs: 10 })).toEqual({ action: "retry", delayMs: 1000 });
  });

  it("[B052] moves on, or surfaces, rather than sleep longer than a minute or come back too early", () => {
    const long = { class: "rate_limit", retryAfterMs: 120_000 } as const;
    expect(decided({ ...long, hasNextTarget: true })).toEqual({ action: "next_target" });
    expect(decided(long)).toEqual({ action: "surface", code: "model_rate_limited" });
    expect(decided({ ...long, retryAfterMs: 2000, hasNextTarget: true })).toEqual({
      action: "retry",
      delayMs: 2000,
    });
  });

  it.each([
    "auth",
    "billing",
    "bad_request",
    "context_overflow",
    "refusal",
    "model_not_found",
    "misconfigured",
  ] as const)("does not send again after %s", (name) => {
    expect(delays({ class: name })).toEqual([]);
  });

  it.each(["timeout", "malformed", "unknown"] as const)("sends once more after %s", (name) => {
    expect(delays({ class: name })).toEqual([1000]);
  });

  it("after silence asks the next target at once rather than pay for the prompt twice", () => {
    expect(decided({ class: "timeout", hasNextTarget: true })).toEqual({ action: "next_target" });
  });

  it("[L12] takes the third overload in a row as the sign to move on", () => {
    const overloaded = { class: "overloaded", hasNextTarget: true } as const;
    expect(delays(overloaded)).toHaveLength(2);
    expect(decided({ ...overloaded, tries: 3 })).toEqual({ action: "next_target" });
    expect(delays({ class: "overloaded" })).toHaveLength(3);
  });

  it("[L12] gives up an overloaded background call at once", () => {
    expect(decided({ class: "overloaded", priority: "background", hasNextTarget: true })).toEqual({
      action: "surface",
      code: "model_overloaded",
    });
  });

  it("[L12] lets background work wait for what is no overload", () => {
    expect(delays({ priority: "background" })).toEqual([1000, 2000, 4000]);
  });

  it("sends nothing again for a caller that has gone, whatever the provider says", () => {
    expect(decided({ class: "aborted", shouldRetry: true })).toEqual({
      action: "surface",
      code: "cancelled",
    });
  });

  it("[B052] sleeps a minute that was asked for, and no longer", () => {
    expect(decided({ retryAfterMs: 60_000 })).toEqual({ action: "retry", delayMs: 60_000 });
    expect(decided({ retryAfterMs: 60_001 })).toMatchObject({ action: "surface" });
  });

  it("[B053] moves on from what condemns a provider, never from what condemns the request", () => {
    const movesOn = failureClasses.filter(
      (name) => decided({ class: name, tries: 9, hasNextTarget: true }).action === "next_target",
    );
    expect(movesOn).toEqual([
      "auth",
      "billing",
      "rate_limit",
      "overloaded",
      "server_error",
      "timeout",
      "network",
      "model_not_found",
      "malformed",
      "misconfigured",
      "unknown",
    ]);
  });

  it("[L11] obeys x-should-retry: false, and lets true argue within the cap", () => {
    expect(decided({ shouldRetry: false })).toMatchObject({ action: "surface" });
    expect(delays({ class: "bad_request", shouldRetry: true })).toHaveLength(3);
  });

  it("plans nothing that could not be sent before the deadline (D4)", () => {
    expect(decided({ leftMs: 1000 })).toMatchObject({ action: "surface" });
    expect(decided({ leftMs: 1001 })).toMatchObject({ action: "retry" });
    expect(decided({ leftMs: 500, hasNextTarget: true })).toEqual({ action: "next_target" });
    expect(decided({ leftMs: 0, hasNextTarget: true })).toMatchObject({ action: "surface" });
  });
});

/** Of any input one in fifty is tried again: too few to say much about retries. */
const oftenRetried = fc.record<DecisionInput>({
  class: fc.constantFrom(...failureClasses),
  stage: fc.constant("before_output"),
  tries: fc.integer({ min: 1, max: 3 }),
  retryAfterMs: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  shouldRetry: fc.constantFrom(true, undefined),
  priority: fc.constant("foreground"),
  hasNextTarget: fc.boolean(),
  leftMs: fc.double({ min: 0, max: 200_000, noNaN: true }),
  chance: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

describe("laws", () => {
  it("[L18] after the first output nothing is sent again, on any target (D1)", () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        expect(decide({ ...input, stage: "after_output" })).toEqual({
          action: "surface",
          code: classRules[input.class].code,
        });
      }),
    );
  });

  it("no wait is shorter than what the server asked for, or than a second (D2)", () => {
    fc.assert(
      fc.property(oftenRetried, (input) => {
        const decision = decide(input);
        if (decision.action !== "retry") return fc.pre(false);
        expect(decision.delayMs).toBeGreaterThanOrEqual(Math.max(1000, input.retryAfterMs ?? 0));
        expect(decision.delayMs).toBeLessThan(input.leftMs);
      }),
    );
  });

  it("[L8] from any sequence of failures a call ends within the stated number of wire calls (D5)", () => {
    fc.assert(
      fc.property(
        fc.array(anyInput, { minLength: 60, maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (failures, targets) => {
          expect(wireCallsUntilSurface(failures, targets)).toBeLessThanOrEqual(
            wireCallBound(targets),
          );
        },
      ),
    );
  });
});

function wireCallsUntilSurface(failures: readonly DecisionInput[], targets: number): number {
  let target = 1;
  let tries = 0;
  for (const [index, failure] of failures.entries()) {
    tries += 1;
    const decision = decide({ ...failure, tries, hasNextTarget: target < targets });
    if (decision.action === "surface") return index + 1;
    if (decision.action === "retry") continue;
    target += 1;
    tries = 0;
  }
  return Number.POSITIVE_INFINITY;
}
