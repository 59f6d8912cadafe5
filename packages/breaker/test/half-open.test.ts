import { expect, it } from "vitest";

import { bench, done, failure, opened, repeat, tool } from "./support.ts";

const openEvents = (types: readonly string[]) => types.filter((type) => type === "breaker.open");

it("[BR-8] [B4] after the cooldown two calls go, both succeed, and the breaker is CLOSED with an empty window", () => {
  const { clock, call, view, types } = opened();
  clock.advance(30_000);
  call("success");
  call("success");

  expect(view()).toMatchObject({ state: "CLOSED", consecutiveFailures: 0 });
  expect(view().totals).toMatchObject({ successes: 0, failures: 0 });
  expect(types()).toEqual([
    "breaker.open",
    "breaker.half_open",
    "breaker.probe",
    "breaker.probe",
    "breaker.close",
  ]);
  expect(clock.pendingTimers).toBe(0);
});

it("[BR-8] a millisecond before the cooldown ends nothing goes", () => {
  const { clock, set } = opened();
  clock.advance(29_999);
  expect(set.check([tool])).toMatchObject({ allowed: false, retryAfterMs: 1 });
  clock.advance(1);
  expect(set.check([tool])).toEqual({ allowed: true });
});

it("[BR-8] [B077] [S5] fifty callers at once: two are admitted, forty-eight refused with a reason", () => {
  const { clock, set } = opened();
  clock.advance(30_000);

  const answers = Array.from({ length: 50 }, () => set.acquire([tool]));

  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(2);
  const refused = answers.filter((answer) => !answer.allowed);
  expect(new Set(refused.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([
      JSON.stringify({
        allowed: false,
        key: tool,
        tier: "tool",
        reason: "probes_taken",
        retryAfterMs: 2000,
      }),
    ]),
  );
  set.close();
});

it("[B077] [S12] the limit of two is per process, as documented: three processes admit six, not a hundred and fifty", () => {
  const admittedBy = (): number => {
    const { clock, set } = opened();
    clock.advance(30_000);
    const answers = Array.from({ length: 50 }, () => set.acquire([tool]));
    set.close();
    return answers.filter(({ allowed }) => allowed).length;
  };

  expect([admittedBy(), admittedBy(), admittedBy()]).toEqual([2, 2, 2]);
});

it("[S12] processes that opened together do not probe in step: their cooldowns are spread", () => {
  const cooldown = (chance: number): number => {
    const { view, set } = opened({ random: { next: () => chance } });
    set.close();
    return view().retryAfterMs;
  };

  expect([cooldown(0), cooldown(0.25), cooldown(0.5), cooldown(1)]).toEqual([
    27_000, 28_500, 30_000, 33_000,
  ]);
});

it("[BR-8] [B076] [S5] one failing probe opens again at once, far below the minimum, with twice the cooldown", () => {
  const { clock, call, view, events, set } = opened();
  clock.advance(30_000);

  call("failure");

  expect(view()).toMatchObject({ state: "OPEN", retryAfterMs: 60_000, openCount: 2 });
  expect(events.at(-1)).toMatchObject({
    type: "breaker.open",
    triggers: ["probe_failed"],
    cooldownMs: 60_000,
    openCount: 2,
  });
  set.close();
});

it("[BR-8] [B080] a failed probe is not forgotten: successes that follow it are late", () => {
  const { clock, admitted, view, set } = opened({ settings: { halfOpenMaxRequests: 4 } });
  clock.advance(30_000);
  const [first, ...others] = [admitted(), admitted(), admitted(), admitted()];

  first.end(failure);
  for (const probe of others) probe.end("success", done);

  expect(view()).toMatchObject({ state: "OPEN", counts: { late: 3 } });
  set.close();
});

it("[BR-8] [B094] a lone success waits: half an hour later the second call is admitted and closes", () => {
  const { clock, call, view, set } = opened();
  clock.advance(30_000);
  call("success");
  expect(view().state).toBe("HALF_OPEN");

  clock.advance(1_800_000);

  expect(set.check([tool])).toEqual({ allowed: true });
  call("success");
  expect(view().state).toBe("CLOSED");
});

it("[BR-8] [B082] without any traffic the end of the cooldown shows, in the view and on the bus", () => {
  const { clock, view, types, set } = opened();
  const openedAt = view().since;
  clock.advance(30_000);
  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: true, retryAfterMs: 0 });
  expect(types()).toEqual(["breaker.open", "breaker.half_open"]);

  set.acquire([tool]);
  set.acquire([tool]);

  expect(view().probeEligible).toBe(false);
  expect(openedAt).toBe(1_700_000_000_000);
  set.close();
});

it("[BR-8] [B082] a failed probe stamps a new opening", () => {
  const { clock, call, view, set } = opened();
  clock.advance(31_000);
  call("failure");

  expect(view().since).toBe(1_700_000_031_000);
  set.close();
});

it("[BR-8] [B085] what closed it does not count afterwards: one failure is one of one", () => {
  const { clock, call, view } = opened();
  clock.advance(30_000);
  call("success");
  call("success");

  call("failure");

  expect(view()).toMatchObject({ state: "CLOSED", consecutiveFailures: 1 });
  expect(view().totals).toMatchObject({ successes: 0, failures: 1 });
});

it("[BR-6] [B079] a call admitted while CLOSED that ends in HALF_OPEN has no effect", () => {
  const { clock, admitted, call, view, set } = bench();
  const early = [admitted(), admitted(), admitted()];
  repeat(5, () => call("failure"));
  clock.advance(30_000);
  expect(view().state).toBe("HALF_OPEN");

  early[0]?.end("success", done);
  early[1]?.end("success", done);
  early[2]?.end(failure);

  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: true, counts: { late: 3 } });
  expect(set.acquire([tool]).allowed && set.acquire([tool]).allowed).toBe(true);
  set.close();
});

it("[BR-6] [B079] a probe of an earlier episode neither closes, re-opens nor frees a slot of the next one", () => {
  const { clock, admitted, view, set } = opened();
  clock.advance(30_000);
  const [old, failing] = [admitted(), admitted()];
  failing.end(failure);
  clock.advance(60_000);
  admitted();
  admitted();

  old.end(failure);

  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: false, counts: { late: 1 } });
  set.close();
});

it("[BR-6] [B079] [B091] a hundred calls in flight all fail: one opening, and the late ones do not extend it", () => {
  const { clock, admitted, view, types, set } = bench();
  const calls = Array.from({ length: 100 }, () => admitted());
  for (const call of calls.slice(0, 5)) call.end(failure);
  const since = view().since;
  clock.advance(10_000);

  for (const call of calls.slice(5)) call.end(failure, { retryAfterMs: 3_600_000 });

  expect(openEvents(types())).toHaveLength(1);
  expect(view()).toMatchObject({ since, retryAfterMs: 20_000, counts: { late: 95 }, inFlight: 0 });
  set.close();
});

it("[BR-9] a probe not renewed for a minute has failed, whether or not anybody asks", () => {
  const { clock, admitted, types, view, set } = opened();
  clock.advance(30_000);
  admitted();
  clock.advance(59_999);
  expect(view().state).toBe("HALF_OPEN");

  clock.advance(1);

  expect(types()).toEqual(["breaker.open", "breaker.half_open", "breaker.probe", "breaker.open"]);
  expect(view()).toMatchObject({ state: "OPEN", retryAfterMs: 60_000 });
  set.close();
});

it("[BR-9] a probe that is renewed may take as long as it needs", () => {
  const { clock, admitted, view } = opened();
  clock.advance(30_000);
  const [one, other] = [admitted(), admitted()];
  repeat(20, () => {
    clock.advance(59_000);
    expect([one.renew(), other.renew()]).toEqual([true, true]);
  });

  one.end("success", done);
  other.end("success", done);

  expect(view().state).toBe("CLOSED");
});

it("[BR-9] a lapsed probe cannot be renewed, and its result is late", () => {
  const { clock, admitted, view, set } = opened();
  clock.advance(30_000);
  const probe = admitted();
  clock.advance(60_000);

  expect(probe.renew()).toBe(false);
  probe.end("success", done);

  expect(view().counts.late).toBe(1);
  set.close();
});

it("[BR-9] a neutral end gives the slot back without a verdict", () => {
  const { clock, admitted, view, set } = opened();
  clock.advance(30_000);
  repeat(10, () => admitted().end("giveBack"));

  expect(view()).toMatchObject({ state: "HALF_OPEN", probeEligible: true });
  expect(set.acquire([tool]).allowed && set.acquire([tool]).allowed).toBe(true);
  expect(set.acquire([tool]).allowed).toBe(false);
  set.close();
});

it("[BR-9] only a permit of HALF_OPEN asks for renewal", () => {
  const { clock, admitted, set } = opened();
  clock.advance(30_000);

  expect(admitted().isProbe).toBe(true);
  expect(bench().admitted().isProbe).toBe(false);
  set.close();
});

it("[BR-10] a probe that ends well without completed progress has failed", () => {
  const { clock, admitted, view, events, set } = opened();
  clock.advance(30_000);

  admitted().end("success", { completedProgress: false });

  expect(view().state).toBe("OPEN");
  expect(events.at(-1)).toMatchObject({
    evidence: { probe_failed: { kind: "no_completed_progress" } },
  });
  set.close();
});

it("[BR-15] [B092] a probe whose stream breaks after its headers fails the episode", () => {
  const { clock, admitted, view, set } = opened();
  clock.advance(30_000);
  const stream = admitted();
  clock.advance(5000);

  stream.end(failure);

  expect(view().state).toBe("OPEN");
  set.close();
});

it.each([
  { calls: "FSF", state: "OPEN" },
  { calls: "FSSSF", state: "OPEN" },
  { calls: "FSSSSF", state: "CLOSED" },
  { calls: "SSSSSFF", state: "CLOSED" },
])(
  "[BR-10] after CLOSED the first five calls open at two failures: $calls → $state",
  ({ calls, state }) => {
    const { clock, call, view, set } = opened();
    clock.advance(30_000);
    call("success");
    call("success");

    for (const each of calls) call(each === "F" ? "failure" : "success");

    expect(view().state).toBe(state);
    set.close();
  },
);

it("a task that began before the opening and stalls after it is late; one that stalls as a probe runs re-opens", () => {
  const key = "agent:research/writer";
  const { clock, set, call, view } = bench();
  const old = set.watchTask([key]);
  repeat(5, () => call("failure", { key }));
  clock.advance(30_000);
  const stalled = { ...failure, failureKind: "stalled" };
  old.end(stalled);
  expect(view(key).state).toBe("HALF_OPEN");

  set.watchTask([key]).end("success");
  expect(view(key).state).toBe("HALF_OPEN");
  set.watchTask([key]).end(stalled);

  expect(view(key).state).toBe("OPEN");
  set.close();
});

it("[BR-18] tells of each probe it lets out, and of no ordinary call", () => {
  const { clock, call, admitted, types, set } = opened();
  clock.advance(30_000);
  admitted().end("giveBack");
  call("success");
  call("success");
  call("success");
  expect(types().filter((type) => type === "breaker.probe")).toHaveLength(3);
  expect(types().at(-1)).toBe("breaker.close");
  set.close();
});

it("[BR-7] a peek says what a check would say and is counted nowhere", () => {
  const { view, set, admitted, clock } = opened();
  expect(set.peek([tool])).toEqual(set.check([tool]));
  expect(view().counts.refused).toBe(1);
  clock.advance(30_000);
  expect(set.peek([tool])).toEqual({ allowed: true });
  admitted();
  expect(set.peek([tool])).toEqual({ allowed: true });
  admitted();
  expect(set.peek([tool])).toMatchObject({ allowed: false, reason: "probes_taken" });
  set.close();
});
