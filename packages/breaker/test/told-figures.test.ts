import { describe, expect, it } from "vitest";

import { BreakerSet, Governor, parseKey, rateGovernedError, routeOutcome } from "../src/index.ts";
import { resolveBreakerSettings } from "../src/index.ts";
import { ProbeSlots } from "../src/probe-slots.ts";
import { SlidingLimit } from "../src/sliding-limit.ts";
import { bench, done, failure, noJitter, opened, repeat, tool } from "./support.ts";

const agent = "agent:w/writer";
const chain = "chain:run_1";

function caught(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

describe("what is refused names itself", () => {
  it("[BR-13] a key that is none", () => {
    expect(caught(() => parseKey("search"))).toMatchObject({
      code: "request_invalid",
      message:
        '"search" is not a breaker\'s key; expected tool:<name>, agent:<workflow>/<type> or provider:<provider>/<model>.',
      details: { key: "search" },
    });
  });

  it("two settings in one sentence each", () => {
    const issues = [
      "guards.breaker.windowSize must be whole seconds, not 1500 ms.",
      "guards.breaker.cooldown must not exceed cooldownMax (2000).",
    ];

    expect(
      caught(() => resolveBreakerSettings({ windowSize: 1500, cooldown: 3000, cooldownMax: 2000 })),
    ).toMatchObject({ message: issues.join(" "), details: { issues } });
    expect(() => resolveBreakerSettings({ cooldown: 2000, cooldownMax: 2000 })).not.toThrow();
  });

  it("[GV-1] the governor's, those it does not know too", () => {
    const { clock } = bench();
    const settings = { callsPerMinute: 0, runsPerHour: 3 };
    const error = caught(() => new Governor({ clock, settings }));

    expect(error).toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(
        /^guards\.governor\.callsPerMinute must be .+, not 0\. guards\.governor\.runsPerHour is not a setting\.$/,
      ) as string,
      details: { issues: [expect.any(String), expect.any(String)] },
    });
  });

  it("[GV-1] who was too fast", () => {
    expect(rateGovernedError(250).message).toBe(
      "The task calls faster than the governor allows. Try again in 250 ms.",
    );
    expect(rateGovernedError(9, "This key submits").message).toBe(
      "This key submits faster than the governor allows. Try again in 9 ms.",
    );
  });
});

it("a setting that is given as undefined is not given", () => {
  expect(resolveBreakerSettings({ cooldown: undefined } as object).cooldown).toBe(30_000);
  const { clock, set, call, view } = bench({ settings: { consecutiveFailures: 3 } });
  set.prepare(tool, { consecutiveFailures: undefined, cooldown: 5000 });
  repeat(3, () => call("failure"));
  expect(view()).toMatchObject({ state: "OPEN", retryAfterMs: 5000 });
  const governor = new Governor({ clock, settings: { callsPerSecond: undefined } as object });
  repeat(10, () => expect(governor.admitCall("a").allowed).toBe(true));
  expect(governor.admitCall("a").allowed).toBe(false);
  set.close();
});

describe("[BR-5] an opening tells the figures that decided", () => {
  it("of slow failures", () => {
    const { call, clock, events, set } = bench();
    repeat(10, (index) => {
      if (index > 0) clock.advance(20_000);
      call(index % 2 === 0 ? "success" : "failure");
    });

    expect(events).toMatchObject([
      { evidence: { slow_failure_rate: { failures: 5, total: 10, spanMs: 180_000 } } },
    ]);
    set.close();
  });

  it("of a burning call, and of a burning rate", () => {
    const byCall = bench();
    repeat(10, () => byCall.call("success", { key: agent, tokens: 10_000 }));
    byCall.call("success", { key: agent, tokens: 30_000 });
    expect(byCall.events).toMatchObject([
      { evidence: { burn_call: { callTokens: 30_000, medianRatio: 3 } } },
    ]);

    const byRate = bench();
    const burn = (seconds: number, tokens: number): void =>
      repeat(seconds / 5, () => {
        byRate.clock.advance(5000);
        byRate.call("success", { key: agent, tokens });
      });
    burn(300, 1000);
    burn(60, 2900);
    byRate.clock.advance(1000);
    byRate.call("success", { key: agent, tokens: 2990 });
    expect(byRate.events).toMatchObject([{ triggers: ["burn_rate"] }]);
    const { burn_rate: figures } = (
      byRate.events[0] as unknown as {
        readonly evidence: Readonly<Record<string, Readonly<Record<string, number>>>>;
      }
    ).evidence;
    expect(figures?.["windowTokens"]).toBe(byRate.view(agent).totals.tokens);
    expect(figures?.["tokenRatio"]).toBeGreaterThanOrEqual(3);
    expect(figures?.["tokenRatio"]).toBeLessThan(4);
    expect(figures?.["trafficRatio"]).toBeGreaterThanOrEqual(1);
    expect(figures?.["trafficRatio"]).toBeLessThan(1.5);
    byRate.set.close();
    byCall.set.close();
  });

  it("of failures in probation, and of tasks in a row", () => {
    const world = opened();
    world.clock.advance(30_000);
    repeat(2, () => world.call("success"));
    repeat(2, () => world.call("failure"));
    expect(world.events.at(-1)).toMatchObject({
      triggers: ["probation"],
      evidence: { probation: { failures: 2 } },
    });

    const tasks = bench();
    repeat(5, () => {
      const task = tasks.set.watchTask([agent]);
      tasks.call("success", { key: agent });
      task.end(failure);
    });
    expect(tasks.events.at(-1)).toMatchObject({
      triggers: ["failure_rate", "consecutive_task_failures"],
    });
    world.set.close();
    tasks.set.close();
  });

  it("at the time it happened, also when it is noticed late", () => {
    const world = opened();
    const openedAt = world.clock.wallMs();
    const monotonicMs = world.clock.monotonicMs.bind(world.clock);
    // The loop is held for 40 s: no timer fires, and the next call finds the cooldown long over.
    world.clock.monotonicMs = () => monotonicMs() + 40_000;
    const wallMs = world.clock.wallMs.bind(world.clock);
    world.clock.wallMs = () => wallMs() + 40_000;
    world.set.view();

    expect(world.events.at(-1)).toMatchObject({ type: "breaker.half_open", at: openedAt + 30_000 });
  });
});

describe("[BR-4] a chain", () => {
  it("that burned is probed: a failing call gives the slot back, two that come out well close it", () => {
    const world = bench();
    repeat(10, () => world.call("success", { key: chain, tokens: 10_000 }));
    world.call("success", { key: chain, tokens: 30_000 });
    expect(world.view(chain).state).toBe("OPEN");
    world.clock.advance(30_000);

    repeat(3, () => world.call("failure", { key: chain }));
    expect(world.view(chain).state).toBe("HALF_OPEN");
    const fine = routeOutcome({ kind: "model", outcome: "success" });
    repeat(2, () => world.call(fine, { key: chain }));

    expect(world.view(chain).state).toBe("CLOSED");
    world.set.close();
  });
});

describe("[BR-9] permits over several breakers", () => {
  it("are probes when one of them is, and count while all of them do", () => {
    const world = opened();
    world.clock.advance(30_000);
    const permit = world.admitted([tool, "tool:other"]);
    expect(permit.isProbe).toBe(true);
    expect(permit.renew()).toBe(true);

    world.set.reset(tool, { actor: "kim", reason: "fixed" });

    expect(permit.renew()).toBe(false);
    world.set.close();
  });

  it("[BR-10] who says nothing of progress has made none", () => {
    const world = opened();
    world.clock.advance(30_000);
    world.admitted().end("success");

    expect(world.events.at(-1)).toMatchObject({
      evidence: { probe_failed: { kind: "no_completed_progress" } },
    });
    world.set.close();
  });

  it("[BR-16] a task that is watched is no call in flight", () => {
    const world = bench();
    const task = world.set.watchTask([agent]);
    task.end("success");

    expect(world.view(agent).inFlight).toBe(0);
  });
});

it("[BR-9] probes lapse each at its own time, and their slots are counted once", () => {
  const slots = new ProbeSlots({ size: 3, leaseMs: 60_000 });
  const [first, second] = [slots.take(0), slots.take(500)];
  expect([first, second]).toEqual([1, 2]);
  expect(slots.firstLapseMs).toBe(60_000);
  slots.renew(first, 1000);
  expect(slots.firstLapseMs).toBe(60_500);

  slots.giveBack(first);
  slots.succeeded();
  expect(slots.hasFree).toBe(true);
  slots.take(2000);
  expect(slots.hasFree).toBe(false);
});

it("[BR-8] an episode leaves nothing of what was counted before it", () => {
  const umbrella = "provider:acme";
  const world = bench({ settings: { consecutiveFailures: 100 } });
  const fail = (model: string): void => world.call("failure", { key: `${umbrella}/${model}` });
  repeat(5, () => {
    fail("one");
    fail("two");
  });
  expect(world.view(umbrella).state).toBe("OPEN");
  world.set.reset(umbrella, { actor: "kim", reason: "fixed" });
  world.set.reset(`${umbrella}/one`, { actor: "kim", reason: "fixed" });

  repeat(9, () => fail("one"));
  expect(world.view(umbrella)).toMatchObject({ state: "CLOSED", totals: { failures: 9 } });
  fail("one");

  expect(world.view(umbrella).state).toBe("CLOSED");
  world.set.close();
});

it("[BR-10] a reset ends probation", () => {
  const world = opened();
  world.clock.advance(30_000);
  repeat(2, () => world.call("success"));
  world.call("failure");
  world.set.reset(tool, { actor: "kim", reason: "fixed" });

  repeat(3, () => world.call("failure"));

  expect(world.view().state).toBe("CLOSED");
  world.set.close();
});

it("[BR-12] what a person closes is told once, and only if it was shut", () => {
  const world = bench();
  world.call("success");
  world.set.reset(tool, { actor: "kim", reason: "why not" });
  expect(world.events).toEqual([]);
  expect(world.view().probeEligible).toBe(false);
});

it("[GV-1] tasks and keys are counted apart, refusals too", () => {
  const { clock } = bench();
  const governor = new Governor({ clock, settings: { callsPerSecond: 1 } });
  governor.admitRun("key");
  const first = governor.admitCall("task");
  expect(first).not.toHaveProperty("wouldRefuseMs");
  governor.admitCall("task");

  expect(governor.size).toBe(2);
  expect(governor.counts).toEqual({ refused: 1, wouldRefuse: 0 });
});

it("[GC-5] giving back an instant that is none takes nothing away", () => {
  const limit = new SlidingLimit([{ max: 2, windowMs: 1000 }]);
  expect(limit.isIdle(0)).toBe(true);
  limit.take(10);
  limit.take(20);
  limit.giveBack(15);
  expect(limit.waitMs(30)).toBe(980);
  expect(limit.isIdle(1019)).toBe(false);
  expect(limit.isIdle(1020)).toBe(true);
  limit.giveBack(20);
  expect(limit.waitMs(30)).toBe(0);
});

it("[GC-4] a set that is off prepares nothing", () => {
  const { clock } = bench();
  const set = new BreakerSet({ clock, random: noJitter, emit: () => undefined, mode: "off" });

  set.prepare(tool, { cooldown: 5000 });

  expect(set.size).toBe(0);
  expect(done.completedProgress).toBe(true);
});
