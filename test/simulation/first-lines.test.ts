/** The invariants that watch one line of defence each, where another one stands behind it. */
import { describe, expect, it } from "vitest";

import { attemptsEndInHand } from "./invariants/attempts-end-in-hand.ts";
import { callsAreCharged } from "./invariants/calls-are-charged.ts";
import { decisionsComeFirst } from "./invariants/decisions-come-first.ts";
import {
  dispatched,
  judge,
  log,
  runId,
  sent,
  submitted,
  who,
} from "./invariants/doctored-history.ts";
import { governorsCountCalls } from "./invariants/governors-count-calls.ts";
import { livingHoldsLast } from "./invariants/living-holds-last.ts";
import type { Observation } from "./invariants/observation.ts";
import { oldHoldersAreTurnedAway } from "./invariants/old-holders-are-turned-away.ts";
import { releasesComeLast } from "./invariants/releases-come-last.ts";
import { retriesFollowThePolicy } from "./invariants/retries-follow-the-policy.ts";
import { serversWaitsAreKept } from "./invariants/servers-waits-are-kept.ts";
import { silentWorkersStop } from "./invariants/silent-workers-stop.ts";
import { whatIsStoppedIsClosed } from "./invariants/what-is-stopped-is-closed.ts";

const a = { taskId: "a" };
const first = { ...a, attempt: 1 };
const second = { ...a, attempt: 2 };

describe("oldHoldersAreTurnedAway", () => {
  const answered = (
    due: "fenced" | "lease" | "version" | undefined,
    answer: string,
  ): Observation => ({
    type: "answered",
    what: "a commit",
    due,
    answer,
  });

  it("is content with who is up to date, and with who is refused for not being so", () => {
    const history = [answered(undefined, "committed"), answered("lease", "lease")];
    expect(judge(oldHoldersAreTurnedAway(), history)).toBeUndefined();
  });

  it.each([
    ["an old claim that is given", answered("fenced", "claimed")],
    ["an old claim that only the second check refuses", answered("fenced", "already_claimed")],
    ["a commit under a lease that is another's", answered("lease", "committed")],
    ["one that only its version stops", answered("lease", "version")],
    ["a commit against a version that is gone", answered("version", "committed")],
  ])("sees %s", (_, seen) => {
    expect(judge(oldHoldersAreTurnedAway(), [seen])).toContain("was to be refused as");
  });
});

describe("silentWorkersStop", () => {
  const stirred = (silentMs: number): Observation => ({
    type: "stirred",
    bootId: "worker-1.1",
    by: "a claim",
    silentMs,
  });

  it("sees a worker that goes on after six seconds without contact", () => {
    expect(judge(silentWorkersStop(), [stirred(6000)])).toBeUndefined();
    expect(judge(silentWorkersStop(), [stirred(6001)])).toContain("6001 ms after");
  });
});

describe("releasesComeLast", () => {
  const left = (renewals: number): Observation => ({
    type: "left",
    bootId: "worker-1.1",
    renewals,
  });

  it("sees a lease that is given back while a renewal is on its way", () => {
    expect(judge(releasesComeLast(), [left(0)])).toBeUndefined();
    expect(judge(releasesComeLast(), [left(1)])).toContain("1 renewals on their way");
  });
});

describe("livingHoldsLast", () => {
  const expired = (isOut: boolean, contactMs: number, skewMs = 0, ageMs = 61_000): Observation => ({
    type: "expired",
    ...who,
    holdId: "h1",
    isOut,
    ageMs,
    contactMs,
    skewMs,
  });

  it("is content with a hold whose owner was away, whose call was over, or whose clock is nobody's", () => {
    const history = [expired(true, 60_000), expired(false, 90_000), expired(true, 90_000, 60_000)];
    expect(judge(livingHoldsLast(), history)).toBeUndefined();
  });

  it("sees a hold that expires long before its minute is over, unless its owner's clock is behind", () => {
    expect(judge(livingHoldsLast(), [expired(true, 10_000, 0, 20_000)])).toContain(
      "after 20000 ms",
    );
    expect(judge(livingHoldsLast(), [expired(true, 10_000, 30_000, 20_000)])).toBeUndefined();
  });

  it("sees a hold that expires under its living owner", () => {
    expect(judge(livingHoldsLast(), [expired(true, 61_000)])).toContain("its owner's lease");
  });
});

describe("callsAreCharged", () => {
  const hold = { holdId: "h1" };
  const settled = (tokens: string) =>
    log(["budget.settled", { ...hold, actual: { tokens }, basis: "usage" }]);

  it("is content with a hold that was never let out, and with a call that is paid for", () => {
    const released = log(["budget.released", hold]);
    expect(judge(callsAreCharged(), released)).toBeUndefined();
    expect(judge(callsAreCharged(), [dispatched(), sent, ...settled("22")])).toBeUndefined();
  });

  it("is content with a call that was let out, not sent, and costs no tokens", () => {
    expect(judge(callsAreCharged(), [dispatched(), ...settled("0")])).toBeUndefined();
  });

  it.each([
    [
      "a hold that is released after it was let out",
      [dispatched(), ...log(["budget.released", hold])],
    ],
    ["a call that was sent for nothing", [dispatched(), sent, ...settled("0")]],
  ])("sees %s", (_, history) => {
    expect(judge(callsAreCharged(), history)).toContain("h1");
  });
});

describe("whatIsStoppedIsClosed", () => {
  const none = { tokens: 0, nanoUsd: 0, calls: 0 };
  const ledger = (envelope: string, closed: boolean): Observation => ({
    type: "ledger",
    runId,
    envelopes: [{ envelope, closed, limit: none, settled: none, reserved: none }],
    holds: [],
  });

  it("is content with an envelope that is closed with the decision, and with one that goes on", () => {
    const history = [...log(["task.completed", first]), ledger("a", true), ledger("b", false)];
    expect(judge(whatIsStoppedIsClosed(), history)).toBeUndefined();
  });

  it.each([
    ["a run that winds down", "run", log(["run.cancelling"])],
    ["a run that has ended", "run", log(["run.finished"])],
    ["a task that is to stop", "a", log(["task.cancelling", first])],
    ["a task that has failed", "a", log(["task.failed", first])],
  ])("sees %s in an open envelope", (_, envelope, entries) => {
    const history = [...entries, ledger(envelope, false)];
    expect(judge(whatIsStoppedIsClosed(), history)).toContain("its envelope is open");
  });

  it("sees a cancel that reached the store and closed nothing", () => {
    const ordered = { type: "ordered", runId, envelope: "run", isClosed: false } as const;
    expect(judge(whatIsStoppedIsClosed(), [ordered])).toContain("left its envelope open");
  });
});

describe("decisionsComeFirst", () => {
  const dispatching = (attempt: number): Observation => ({
    type: "dispatching",
    runId,
    attempts: [{ ...a, attempt }],
  });
  const enqueued = (fence: number, isInformed = true): Observation => ({
    type: "enqueued",
    ...who,
    fence,
    isInformed,
  });
  const scheduled = log(["task.scheduled", first]);
  const paused = log(["task.scheduled", first], ["run.paused"]);

  it("is content with what is decided, fenced and queued in this order", () => {
    const history = [...scheduled, dispatching(1), enqueued(1)];
    expect(judge(decisionsComeFirst(), history)).toBeUndefined();
  });

  it("is content with a fence over a lost attempt of a task that has ended, also while paused", () => {
    const ended = log(["task.scheduled", first], ["task.cancelled", first], ["run.paused"]);
    expect(judge(decisionsComeFirst(), [...ended, dispatching(2)])).toBeUndefined();
  });

  it("is content with a fence over a lost attempt whose task waits for its next try, not with one beyond", () => {
    const waits = log(["task.scheduled", first], ["task.lost", first], ["task.retrying", first]);
    expect(judge(decisionsComeFirst(), [...waits, dispatching(2)])).toBeUndefined();
    expect(judge(decisionsComeFirst(), [...waits, dispatching(3)])).toContain("before it was");
  });

  it("is content with a fence over an attempt that told its end before it was found lost", () => {
    const waits = log(["task.scheduled", first], ["task.retrying", first]);
    expect(judge(decisionsComeFirst(), [...waits, dispatching(2)])).toBeUndefined();
    expect(judge(decisionsComeFirst(), [...waits, dispatching(3)])).toContain("before it was");
  });

  it("is content with a scheduler that cannot know yet that another one, or its own commit that it gave up, has paused", () => {
    expect(judge(decisionsComeFirst(), [...paused, enqueued(1, false)])).toBeUndefined();
  });

  it.each([
    ["a dispatch before its decision", [...scheduled, dispatching(2)], "before it was decided"],
    ["a job of a run that is paused", [...paused, enqueued(1)], "while paused"],
    ["a job above its fence", [...scheduled, enqueued(0)], "at fence 0"],
    ["a job before its decision", [enqueued(1)], "queued before it was decided"],
    [
      "a result that leaves the inbox without a decision",
      [{ type: "dropped", runId, kind: "finished" } as const],
      "left the inbox",
    ],
  ])("sees %s", (_, history, sentence) => {
    expect(judge(decisionsComeFirst(), history)).toContain(sentence);
  });
});

describe("attemptsEndInHand", () => {
  it("is content with attempts that end one after the other, and with a task that never had one", () => {
    const history = log(
      ["task.scheduled", first],
      ["task.lost", first],
      ["task.retrying", first],
      ["task.scheduled", second],
      ["task.completed", second],
      ["task.failed", { taskId: "b", attempt: 0 }],
    );
    expect(judge(attemptsEndInHand(), history)).toBeUndefined();
  });

  it("is content with a parked task that gives up in the attempt in which it was parked", () => {
    const history = log(["task.scheduled", first], ["task.parked", first], ["task.failed", first]);
    expect(judge(attemptsEndInHand(), history)).toBeUndefined();
  });

  it.each([
    [
      "a parked attempt that ends once another was scheduled",
      log(
        ["task.scheduled", first],
        ["task.parked", first],
        ["task.scheduled", second],
        ["task.failed", first],
      ),
    ],
    [
      "a parked attempt that completes",
      log(["task.scheduled", first], ["task.parked", first], ["task.completed", first]),
    ],
    [
      "the result of an older attempt",
      log(["task.scheduled", first], ["task.scheduled", second], ["task.completed", first]),
    ],
    [
      "an attempt that ends twice",
      log(["task.scheduled", first], ["task.retrying", first], ["task.failed", first]),
    ],
  ])("sees %s", (_, history) => {
    expect(judge(attemptsEndInHand(), history)).toContain("of attempt 1, not");
  });
});

describe("retriesFollowThePolicy", () => {
  const retrying = (cause: string, spent: number, delayMs = 0) =>
    log(["task.retrying", { ...first, cause, spent, delayMs }]);
  const lost = retrying("worker_lost", 0);
  const finished: Observation = {
    type: "finished",
    ...who,
    outputOf: undefined,
    retryAfterMs: 3000,
  };

  it("is content with a task that fails once, is lost twice, and waits as it was told", () => {
    const failed = retrying("model_failed", 1, 3000);
    const history = [submitted(), finished, ...failed, ...log(["task.scheduled", second])];
    expect(judge(retriesFollowThePolicy(), history)).toBeUndefined();
    expect(judge(retriesFollowThePolicy(), [submitted(), ...lost, ...lost])).toBeUndefined();
  });

  it("is content with a worker found lost before anybody had read what it told: nobody knows of a wait", () => {
    expect(judge(retriesFollowThePolicy(), [submitted(), finished, ...lost])).toBeUndefined();
  });

  it.each([
    ["a third try after two losses", [...lost, ...lost, ...lost], "the cap is 2"],
    [
      "crashes and losses that are counted apart",
      [...lost, ...retrying("child_crashed", 0), ...lost],
      "the cap is 2",
    ],
    ["an attempt spent for a lost worker", retrying("worker_lost", 1), "it says 1"],
    ["an attempt that nobody spent", retrying("agent_error", 0), "it says 0"],
    [
      "a try beyond the policy",
      [...retrying("agent_error", 1), ...retrying("agent_error", 2)],
      "2 of 2 attempts",
    ],
    ["a cause that is final", retrying("stalled", 0), "after stalled"],
    [
      "a try that comes too soon",
      [finished, ...retrying("model_failed", 1, 2999)],
      "asked for 3000",
    ],
  ])("sees %s", (_, history, sentence) => {
    expect(judge(retriesFollowThePolicy(), [submitted(), ...history])).toContain(sentence);
  });
});

describe("serversWaitsAreKept", () => {
  const asked = { ...who, call: 0, target: "north/large" };
  const throttled: Observation = { type: "throttled", ...asked, untilMs: 3000 };
  const asking = (atMs: number, target = asked.target): Observation => ({
    type: "sent",
    ...asked,
    target,
    step: 1,
    atMs,
  });

  it("is content with a call that waits, or asks somebody else", () => {
    const history = [throttled, asking(100, "south/large"), asking(3000)];
    expect(judge(serversWaitsAreKept(), history)).toBeUndefined();
  });

  it("sees a call that asks the same target again too soon", () => {
    expect(judge(serversWaitsAreKept(), [throttled, asking(1000)])).toContain("2000 ms too soon");
  });
});

describe("governorsCountCalls", () => {
  it("sees a task that is governed for calls it never sent", () => {
    const refused = log(["governor.refused", { ...first, step: 9 }]);
    const calls = Array.from({ length: 10 }, () => sent);
    expect(judge(governorsCountCalls(), [...calls, ...refused])).toBeUndefined();
    expect(judge(governorsCountCalls(), [sent, ...refused])).toContain("after 1 calls");
  });
});
