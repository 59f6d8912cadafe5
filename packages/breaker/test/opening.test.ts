import { fleetEventSchema } from "@bridle/protocol";
import { expect, it } from "vitest";

import { bench, failure, opened, repeat, tool } from "./support.ts";

const agent = "agent:research/writer";

it("[BR-2] [B3] five failures of ten open, exactly at half", () => {
  const { call, view, set } = bench();
  repeat(4, () => {
    call("failure");
    call("success");
  });
  call("success");
  expect(view().state).toBe("CLOSED");

  call("failure");

  expect(view().state).toBe("OPEN");
  set.close();
});

it("[BR-2] four of ten do not open, and neither do four of nine", () => {
  const { call, view } = bench();
  repeat(4, () => {
    call("failure");
    call("success");
  });
  call("success");
  expect(view().totals).toMatchObject({ failures: 4, successes: 5 });
  expect(view().state).toBe("CLOSED");

  call("success");

  expect(view().totals).toMatchObject({ failures: 4, successes: 6 });
  expect(view().state).toBe("CLOSED");
});

it("[BR-2] failures that have left the window count no more; the control keeps them inside", () => {
  const verdictAfter = (idleMs: number): string => {
    const { call, clock, view } = bench();
    repeat(4, () => {
      call("failure");
      call("success");
    });
    clock.advance(idleMs);
    call("success");
    call("failure");
    return view().state;
  };

  expect(verdictAfter(60_000)).toBe("CLOSED");
  expect(verdictAfter(59_000)).toBe("OPEN");
});

it.each([
  { everyMs: 7000, state: "OPEN", why: "they span more than the window" },
  { everyMs: 66_666, state: "OPEN", why: "they span just under ten minutes" },
  { everyMs: 66_667, state: "CLOSED", why: "they span more than ten minutes" },
])(
  "[BR-2] slow traffic, five of the last ten failed, one call each $everyMs ms: $state, for $why",
  ({ everyMs, state }) => {
    const { call, clock, view } = bench();
    repeat(10, (index) => {
      if (index > 0) clock.advance(everyMs);
      call(index % 2 === 0 ? "success" : "failure");
    });

    expect(view().state).toBe(state);
  },
);

it("[BR-2] slow traffic names its own trigger", () => {
  const { call, clock, events, set } = bench();
  repeat(10, (index) => {
    if (index > 0) clock.advance(20_000);
    call(index % 2 === 0 ? "success" : "failure");
  });

  expect(events).toMatchObject([{ type: "breaker.open", triggers: ["slow_failure_rate"] }]);
  set.close();
});

it("[BR-3] [B086] [S3] the fifth failure in a row opens, below the minimum of ten", () => {
  const { call, view, events, set } = bench();
  repeat(4, () => call("failure"));
  expect(view().state).toBe("CLOSED");

  call("failure");

  expect(view().state).toBe("OPEN");
  expect(events).toMatchObject([{ type: "breaker.open", triggers: ["consecutive_failures"] }]);
  set.close();
});

it("[BR-3] [B086] [S4] a success in between starts the row again: five failures in the window are not five in a row", () => {
  const { call, view, set } = bench();
  call("success");
  repeat(4, () => call("failure"));
  call("success");
  call("failure");
  expect(view()).toMatchObject({ state: "CLOSED", consecutiveFailures: 1 });
  expect(view().totals.failures).toBe(5);

  repeat(3, () => call("failure"));
  expect(view().state).toBe("OPEN");
  set.close();
});

it("[BR-3] the row neither ages with the window nor minds ignored outcomes", () => {
  const { call, clock, view, set } = bench();
  repeat(4, () => {
    call("failure");
    call("giveBack");
    clock.advance(3_600_000);
  });
  expect(view()).toMatchObject({ state: "CLOSED", consecutiveFailures: 4 });

  call("failure");

  expect(view().state).toBe("OPEN");
  set.close();
});

it("[BR-3] [BR-14] five stalled tasks in a row open their agent, however many good calls each one made", () => {
  const { set, call, view } = bench();
  const stallOnce = (): void => {
    const watch = set.watchTask([agent]);
    repeat(20, () => call("success", { key: agent }));
    watch.end({ tool: "ignored", agent: "failure", provider: "ignored", failureKind: "stalled" });
  };
  repeat(4, stallOnce);
  expect(view(agent).state).toBe("CLOSED");

  stallOnce();

  expect(view(agent).state).toBe("OPEN");
  set.close();
});

it("[BR-3] [BR-13] a workflow's own threshold opens its breaker earlier, and nobody else's", () => {
  const { set, call, view } = bench();
  const [strict, other] = ["agent:strict/writer", "agent:other/writer"];
  set.prepare(strict, { consecutiveFailures: 2, windowSize: undefined });
  for (const key of [strict, other]) repeat(2, () => call("failure", { key }));
  expect([view(strict).state, view(other).state]).toEqual(["OPEN", "CLOSED"]);
  set.close();
});

it("[BR-13] a breaker that is known keeps its settings and what is held against it", () => {
  const { set, call, view } = bench();
  repeat(2, () => call("failure", { key: agent }));
  set.prepare(agent, { consecutiveFailures: 2 });
  call("failure", { key: agent });
  expect(view(agent)).toMatchObject({ state: "CLOSED", consecutiveFailures: 3 });
  set.close();
});

it("[BR-13] settings of a key name what cannot work", () => {
  const { set } = bench();
  expect(() => set.prepare(agent, { consecutiveFailures: 0 })).toThrow(/consecutiveFailures/);
});

it("[BR-3] a completed task starts the row of stalled ones again and is no call itself", () => {
  const { set, view } = bench();
  const end = (outcome: "success" | typeof failure): void => set.watchTask([agent]).end(outcome);
  repeat(4, () => end(failure));
  end("success");
  expect(view(agent).totals).toMatchObject({ successes: 0, failures: 4 });
  expect(view(agent).state).toBe("CLOSED");
});

it("[BR-5] the event names every matched trigger, totals, tier, key, cooldown, count and trace", () => {
  const { call, events, set } = bench();
  repeat(5, () => call("success"));
  repeat(4, () => call("failure"));

  call("failure", { traceId: "trace-1" });

  expect(events).toEqual([
    {
      type: "breaker.open",
      at: 1_700_000_000_000,
      key: tool,
      tier: "tool",
      traceId: "trace-1",
      triggers: ["failure_rate", "consecutive_failures"],
      evidence: {
        totals: { successes: 5, failures: 5, tokens: 0, tokenCalls: 0 },
        failure_rate: { failures: 5, total: 10 },
        consecutive_failures: { failures: 5 },
      },
      cooldownMs: 30_000,
      openCount: 1,
    },
  ]);
  set.close();
});

it("every event of an episode is one the protocol knows", () => {
  const { clock, call, events, set } = opened();
  clock.advance(30_000);
  call("success");
  call("success");
  set.force(tool, { state: "FORCED_OPEN", actor: "ada", reason: "drill" });
  set.reset(tool, { actor: "ada", reason: "over" });

  expect(events.map((event) => fleetEventSchema.parse(event).type)).toEqual([
    "breaker.open",
    "breaker.half_open",
    "breaker.probe",
    "breaker.probe",
    "breaker.close",
    "breaker.open",
    "breaker.close",
  ]);
});

it("[BR-7] refused, given back, budget-refused and cached calls are counted apart and never in the window", () => {
  const { set, call, view } = opened();
  set.acquire([tool]);
  set.acquire([tool]);
  set.note([tool], "budgetRefused");
  set.note([tool], "cached");
  set.reset(tool, { actor: "ada", reason: "test" });
  call("giveBack");

  expect(view().counts).toEqual({
    refused: 2,
    wouldRefuse: 0,
    givenBack: 1,
    budgetRefused: 1,
    cached: 1,
    late: 0,
    unsound: 0,
  });
  expect(view().totals).toEqual({ successes: 0, failures: 0, tokens: 0, tokenCalls: 0 });
});

it("[BR-15] three failing attempts of one step are three failures", () => {
  const { call, view } = bench();
  repeat(3, () => call("failure"));

  expect(view().totals.failures).toBe(3);
});

it("[BR-15] [B092] a stream counts when it ends, not when its headers came", () => {
  const { admitted, view } = bench();
  const stream = admitted();
  expect(view().totals).toMatchObject({ successes: 0, failures: 0 });

  stream.end(failure);

  expect(view().totals).toMatchObject({ successes: 0, failures: 1 });
});

it("[B1] [B6] an open breaker refuses at once and says tier, key, reason and when to come back", () => {
  const { set, clock } = opened();
  clock.advance(10_000);

  expect(set.acquire([tool])).toEqual({
    allowed: false,
    key: tool,
    tier: "tool",
    reason: "open",
    retryAfterMs: 20_000,
  });
  set.close();
});

it("a permit that ends twice counts once", () => {
  const { admitted, view } = bench();
  const permit = admitted();

  permit.end(failure);
  permit.end(failure);
  permit.end("success");

  expect(view().totals).toMatchObject({ successes: 0, failures: 1 });
  expect(view().inFlight).toBe(0);
});
