import { expect, it, vi } from "vitest";

import { BreakerSet } from "../src/index.ts";
import type { ForcedState } from "../src/index.ts";
import { bench, done, failure, noJitter, opened, repeat, tool } from "./support.ts";

const by = { actor: "ada", reason: "maintenance" };

function forced(state: ForcedState, forMs?: number) {
  return { state, ...by, ...(forMs === undefined ? {} : { forMs }) };
}

it("[BR-12] FORCED_OPEN refuses until it expires, and is probed then", () => {
  const { clock, set, view, events } = bench();
  set.force(tool, forced("FORCED_OPEN", 90_000));

  expect(set.acquire([tool])).toMatchObject({ reason: "forced_open", retryAfterMs: 30_000 });
  expect(view()).toMatchObject({ state: "FORCED_OPEN", forcing: by });
  expect(events).toMatchObject([
    { type: "breaker.open", triggers: ["forced"], cooldownMs: 90_000, evidence: { forced: by } },
  ]);
  clock.advance(89_999);
  expect(set.check([tool])).toMatchObject({ retryAfterMs: 1 });
  clock.advance(1);
  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: true, forcing: undefined });
});

it("[BR-12] FORCED_OPEN without an expiry stays until a person resets it", () => {
  const { clock, set, view, types } = bench();
  set.force(tool, forced("FORCED_OPEN"));
  clock.advance(30 * 24 * 3_600_000);
  expect(view().state).toBe("FORCED_OPEN");

  set.reset(tool, by);

  expect(set.check([tool])).toEqual({ allowed: true });
  expect(types()).toEqual(["breaker.open", "breaker.close"]);
});

it("[BR-12] FORCED_CLOSED admits and counts, and opens on nothing", () => {
  const { set, call, view, events } = opened();
  set.force(tool, forced("FORCED_CLOSED"));
  repeat(20, () => call("failure"));

  expect(view()).toMatchObject({ state: "FORCED_CLOSED", totals: { failures: 20 } });
  expect(events.at(-1)).toMatchObject({ type: "breaker.close", ...by });
});

it("[BR-12] DISABLED admits and counts nothing", () => {
  const { set, call, view } = bench();
  set.force(tool, forced("DISABLED"));
  repeat(20, () => call("failure"));

  expect(view()).toMatchObject({ state: "DISABLED", totals: { failures: 0 } });
});

it("[BR-12] METRICS_ONLY decides as ever, tells it as would_trip, and blocks nothing", () => {
  const { set, call, view, types } = bench();
  set.force(tool, forced("METRICS_ONLY"));
  repeat(20, () => call("failure"));

  expect(types()).toEqual(["would_trip"]);
  expect(view()).toMatchObject({ state: "METRICS_ONLY", counts: { wouldRefuse: 15, refused: 0 } });
  set.close();
});

it.each(["FORCED_CLOSED", "DISABLED", "METRICS_ONLY"] as const)(
  "[BR-12] the end of %s begins with a clean CLOSED",
  (state) => {
    const { clock, set, call, view } = bench();
    set.force(tool, forced(state, 60_000));
    repeat(4, () => call("failure"));
    clock.advance(60_000);
    expect(view()).toMatchObject({ state: "CLOSED", consecutiveFailures: 0 });

    repeat(4, () => call("failure"));
    expect(view().state).toBe("CLOSED");
    call("failure");
    expect(view().state).toBe("OPEN");
    set.close();
  },
);

it("[BR-12] results of calls admitted before a hand was put on it are late", () => {
  const { set, admitted, view } = bench();
  const before = [admitted(), admitted()];
  set.force(tool, forced("FORCED_OPEN"));
  before[0]?.end(failure);
  set.reset(tool, by);
  before[1]?.end(failure);

  expect(view()).toMatchObject({ totals: { failures: 0 }, counts: { late: 2 } });
});

it("[BR-12] [BR-8] reset forgets the doubling too", () => {
  const { clock, set, call, view } = opened();
  clock.advance(30_000);
  call("failure");
  expect(view().openCount).toBe(2);

  set.reset(tool, by);
  repeat(5, () => call("failure"));

  expect(view()).toMatchObject({ openCount: 1, retryAfterMs: 30_000 });
  set.close();
});

it("[GC-4] warn mode lives through whole episodes, tells only would_trip, and never refuses", () => {
  const { clock, set, call, types, view } = bench({ mode: "warn" });
  repeat(30, () => call("failure"));
  expect(types()).toEqual(["would_trip"]);
  expect(view().counts).toMatchObject({ wouldRefuse: 25, refused: 0 });
  expect(set.check([tool])).toEqual({ allowed: true });

  clock.advance(30_000);
  repeat(2, () => call("success"));

  expect(view().state).toBe("CLOSED");
  expect(types()).toEqual(["would_trip"]);
});

it("[GC-4] off admits everything, keeps nothing and says nothing", () => {
  const { call, set, events } = bench({ mode: "off" });
  repeat(100, () => call("failure"));
  set.watchTask([tool]).end(failure);
  set.note([tool], "cached");

  expect(set.check([tool])).toEqual({ allowed: true });
  expect([set.size, events.length]).toEqual([0, 0]);
});

it("[GC-4] the shipped default enforces", () => {
  const { set } = opened();

  expect(set.check([tool]).allowed).toBe(false);
  set.close();
});

it("[GC-2] [B8] whoever hears of an opening and asks at once is refused: the state is set first", () => {
  const { clock } = bench();
  const answers: boolean[] = [];
  const set: BreakerSet = new BreakerSet({
    clock,
    random: noJitter,
    emit: () => answers.push(set.check([tool]).allowed),
  });
  repeat(5, () => {
    const admission = set.acquire([tool]);
    if (admission.allowed) admission.permit.end(failure);
  });

  expect(answers).toEqual([false]);
  set.close();
});

it("[GC-3] a subscriber that throws reaches neither the caller nor the breaker", () => {
  const emit = vi.fn<() => void>(() => {
    throw new Error("subscriber");
  });
  const { call, set, view } = bench({ emit });
  repeat(5, () => call("failure"));

  expect(view().state).toBe("OPEN");
  expect([emit.mock.calls.length, set.emitFailures]).toEqual([1, 1]);
  set.close();
});

it("a flood of keys is forgotten once idle for an hour; what still matters is kept", () => {
  const { clock, set, call, admitted } = bench({ maxKeys: 10 });
  set.force("tool:forced", forced("FORCED_OPEN"));
  const running = admitted(["tool:running"]);
  repeat(50, (index) => call("success", { key: `tool:flood-${index}` }));
  expect(set.size).toBe(52);
  clock.advance(3_600_000);
  repeat(5, () => call("failure", { key: "tool:open" }));

  repeat(60, (index) => call("success", { key: `tool:next-${index}` }));

  const keys = set.view().map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(["tool:forced", "tool:running", "tool:open"]));
  expect(keys.filter((key) => key.startsWith("tool:flood"))).toEqual([]);
  running.end("success", done);
  set.close();
});

it.each([
  { settings: { minRequestVolume: 0 }, key: "minRequestVolume" },
  { settings: { failureRateThreshold: 1.5 }, key: "failureRateThreshold" },
  { settings: { windowSize: 1500 }, key: "windowSize" },
  { settings: { cooldown: 700_000 }, key: "cooldown" },
  { settings: { consecutiveFailures: Number.NaN }, key: "consecutiveFailures" },
  { settings: { treshold: 1 }, key: "treshold" },
])("a bad setting is refused at load with its name: $key", ({ settings, key }) => {
  expect(() => bench({ settings })).toThrowError(
    expect.objectContaining({
      code: "config_invalid",
      message: expect.stringContaining(`guards.breaker.${key} `) as string,
    }),
  );
});

it("one key may have settings of its own", () => {
  const { call, view, set } = bench({ settingsByKey: { [tool]: { consecutiveFailures: 2 } } });
  repeat(2, () => call("failure"));
  repeat(2, () => call("failure", { key: "tool:other" }));

  expect([view().state, view("tool:other").state]).toEqual(["OPEN", "CLOSED"]);
  set.close();
});
