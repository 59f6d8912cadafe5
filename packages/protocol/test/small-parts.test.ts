import {
  amountsBy,
  breakerRanges,
  defaultDayLimit,
  defaultRunLimit,
  initialRunClock,
  installationScope,
  installationDayLimit,
  isBelow,
  isOuterScope,
  isRunActive,
  keyDayLimit,
  keyScope,
  noAmounts,
  outerHint,
  parseSpawnedId,
  parseUsd,
  rangeFault,
  reduceRunClock,
  selectRunDeadline,
  spawnDepth,
  spawnedId,
  statedLimits,
  toMessages,
  unlimited,
  waitLimitsMs,
  wireAmountsSchema,
} from "@bridle/protocol";
import type { Message } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

describe("[BU-1] US dollars", () => {
  test.each<[string | number, number | undefined]>([
    [0.1, 100_000_000],
    ["0.1", 100_000_000],
    [5, 5_000_000_000],
    ["0.000000001", 1],
    [1e-9, 1],
    [1.5e-7, 150],
    [1.25e-7, 125],
    ["9000000.999999999", 9_000_000_999_999_999],
    ["10000000", undefined],
    ["0.0000000001", undefined],
    [1e-10, undefined],
    [1e21, undefined],
    ["", undefined],
    [" 1", undefined],
    ["1.", undefined],
    [".5", undefined],
    ["-1", undefined],
    ["1e2", undefined],
    ["1e-7", undefined],
    ["1x", undefined],
    [Number.NaN, undefined],
  ])("%j are %j billionths", (usd, nanoUsd) => {
    expect(parseUsd(usd)).toBe(nanoUsd);
  });
});

test("no amounts are nothing in each dimension, and a wire amount that is none is told so", () => {
  expect(noAmounts).toEqual({ tokens: 0, nanoUsd: 0, calls: 0 });
  const read = wireAmountsSchema.safeParse({ tokens: "-1", nanoUsd: "0", calls: "0" });
  expect(read.error?.issues.map(({ message }) => message)).toEqual([
    "Expected a whole number written as a decimal string.",
  ]);
});

test("amounts of one rule have it in each dimension", () => {
  expect(amountsBy((dimension) => dimension.length)).toEqual({ tokens: 6, nanoUsd: 7, calls: 5 });
});

describe("[BU-3] the limits of a day, and those that are stated", () => {
  const none = { tokens: unlimited, nanoUsd: unlimited, calls: unlimited };

  test("an installation has a default where nothing is said, a key none", () => {
    expect(installationDayLimit()).toEqual(defaultDayLimit);
    expect(installationDayLimit({ maxCalls: 5 })).toEqual({ ...defaultDayLimit, calls: 5 });
    expect(installationDayLimit("unlimited")).toEqual(none);
    expect(keyDayLimit({})).toEqual(none);
    expect(keyDayLimit({ maxTokens: 5 })).toEqual({ ...none, tokens: 5 });
    expect(keyDayLimit("unlimited")).toEqual(none);
    expect(defaultDayLimit).toEqual({ ...none, nanoUsd: 50_000_000_000 });
    expect(defaultRunLimit).toEqual({ tokens: 1_000_000, nanoUsd: 5_000_000_000, calls: 400 });
  });

  test("what is not stated is not there", () => {
    expect(Object.entries(statedLimits())).toEqual([]);
    expect(Object.entries(statedLimits({ maxTokens: 1 }))).toEqual([["tokens", 1]]);
    expect(Object.entries(statedLimits({ maxUsd: 2 }))).toEqual([["nanoUsd", 2_000_000_000]]);
    expect(Object.entries(statedLimits({ maxCalls: "unlimited" }))).toEqual([["calls", unlimited]]);
    expect(Object.entries(statedLimits({ maxUsd: "unlimited" }))).toEqual([["nanoUsd", unlimited]]);
  });

  test("the largest sum and whole number are limits", () => {
    expect(statedLimits({ maxTokens: unlimited })).toEqual({ tokens: unlimited });
    expect(() => statedLimits({ maxUsd: 9_999_999 })).toThrow(
      "maxUsd is 9999999; write US dollars up to 9,000,000 with at most nine decimals.",
    );
    expect(() => statedLimits({ maxCalls: 0.5 })).toThrow(
      'maxCalls is 0.5; write a whole number of at least 1, or "unlimited".',
    );
  });
});

describe("envelopes over many runs", () => {
  test("have names that no task can have, and say how their money comes back", () => {
    expect([installationScope, keyScope("k1")]).toEqual(["installation/day", "key:k1/day"]);
    expect([installationScope, keyScope("k1"), "run", "plan.1"].map(isOuterScope)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(outerHint(installationScope)).toBe(
      "It starts afresh at 00:00 UTC; until then wait for runs to end, or raise `budget.perDay` of the configuration.",
    );
    expect(outerHint(keyScope("k1"))).toBe(
      "It starts afresh at 00:00 UTC; until then wait for runs to end, or raise the key's limit.",
    );
  });
});

describe("a setting within its range", () => {
  const whole = { min: 1, max: 10, isWhole: true };
  const share = { min: 0.5, max: 1, isWhole: false };

  test.each<[unknown, typeof whole, string | undefined]>([
    [1, whole, undefined],
    [10, whole, undefined],
    [0, whole, "a whole number from 1 to 10"],
    [11, whole, "a whole number from 1 to 10"],
    [1.5, whole, "a whole number from 1 to 10"],
    ["5", whole, "a whole number from 1 to 10"],
    ["0.75", share, "a number from 0.5 to 1"],
    [0.5, share, undefined],
    [0.75, share, undefined],
    [1, share, undefined],
    [0.4, share, "a number from 0.5 to 1"],
    [Number.NaN, share, "a number from 0.5 to 1"],
  ])("%j in %j: %j", (value, range, fault) => {
    expect(rangeFault(value, range)).toBe(fault);
  });

  test("a breaker's numbers say whether they are counted or shares", () => {
    expect(breakerRanges.windowSize).toEqual({ min: 1000, max: 600_000, isWhole: true });
    expect(breakerRanges.slowSpan).toEqual({ min: 1000, max: 86_400_000, isWhole: true });
    expect(breakerRanges.cooldownJitter).toEqual({ min: 0, max: 0.5, isWhole: false });
  });
});

describe("[WD-3] a run's clock", () => {
  test("is used up while the run is active, and stands otherwise", () => {
    const fresh = initialRunClock(1000);
    expect(selectRunDeadline(fresh)).toBeUndefined();
    const active = reduceRunClock(fresh, { type: "active", at: 50 });
    expect(selectRunDeadline(active)).toBe(1050);
    expect(reduceRunClock(active, { type: "active", at: 90 })).toBe(active);
    const idle = reduceRunClock(active, { type: "idle", at: 350 });
    expect(idle).toEqual({ remainingMs: 700 });
    expect(reduceRunClock(idle, { type: "idle", at: 900 })).toBe(idle);
    expect(selectRunDeadline(reduceRunClock(idle, { type: "active", at: 2000 }))).toBe(2700);
  });

  test("does not run backwards, and is over at once when it is used up", () => {
    const active = { remainingMs: 100, since: 500 };
    expect(reduceRunClock(active, { type: "idle", at: 400 })).toEqual({ remainingMs: 100 });
    expect(selectRunDeadline({ remainingMs: -50, since: 500 })).toBe(500);
  });

  test("runs unless the run is paused, or has tasks of which none works", () => {
    const active = (
      isPaused: boolean,
      ...liveTasks: Parameters<typeof isRunActive>[0]["liveTasks"]
    ) => isRunActive({ isPaused, liveTasks });
    expect(active(false)).toBe(true);
    expect(active(false, "parked", "working")).toBe(true);
    expect(active(false, "parked", "waits_for_approval")).toBe(false);
    expect(active(true, "working")).toBe(false);
    expect(active(true)).toBe(false);
  });

  test("what stops it has limits of its own: a week, an hour, thirty days", () => {
    const hour = 3_600_000;
    expect(waitLimitsMs).toEqual({ approval: 168 * hour, parked: hour, paused: 720 * hour });
  });
});

describe("[LF-8] the name of a spawned task", () => {
  test.each<[string, object | undefined]>([
    ["plan.2", { parent: "plan", ordinal: 2 }],
    ["plan.2.11", { parent: "plan.2", ordinal: 11 }],
    ["each[3].1", { parent: "each[3]", ordinal: 1 }],
    ["plan", undefined],
    ["each[3]", undefined],
    ["7", undefined],
    ["plan.0", undefined],
    ["plan.-1", undefined],
    ["plan.02", undefined],
    ["plan.1.5x", undefined],
    ["plan.", undefined],
    ["plan.9007199254740993", undefined],
  ])("%s", (taskId, name) => {
    expect(parseSpawnedId(taskId)).toEqual(name);
  });

  test("says of whom, how deep, and below whom it is", () => {
    expect(spawnedId("plan.2", 3)).toBe("plan.2.3");
    expect(["plan", "each[3]", "plan.1", "plan.1.2"].map(spawnDepth)).toEqual([0, 0, 1, 2]);
    expect(isBelow("plan", "plan.1.2")).toBe(true);
    expect(isBelow("plan", "plan")).toBe(false);
    expect(isBelow("plan", "planner.1")).toBe(false);
    expect(isBelow("plan.1", "plan.11")).toBe(false);
  });
});

describe("the conversation of a request", () => {
  const model = "m";
  test("is the system's word, then what was said, then the prompt", () => {
    const said: Message[] = [{ role: "assistant", content: "a" }];
    expect(toMessages({ model, system: "s", messages: said, prompt: "p" })).toEqual([
      { role: "system", content: "s" },
      { role: "assistant", content: "a" },
      { role: "user", content: "p" },
    ]);
    expect(toMessages({ model, prompt: "p" })).toEqual([{ role: "user", content: "p" }]);
    expect(toMessages({ model, messages: said })).toEqual(said);
    expect(toMessages({ model })).toEqual([]);
  });
});
