import { expect, it } from "vitest";

import { BreakerCell } from "../src/breaker-cell.ts";
import type { CellEnd, CellPermit } from "../src/cell-types.ts";
import { FailingSources } from "../src/failing-sources.ts";
import { defaultBreakerSettings } from "../src/index.ts";
import { OperatedCell } from "../src/operated-cell.ts";
import { RingWindow } from "../src/ring-window.ts";
import { bench, done, failure, noJitter, opened, repeat, tool } from "./support.ts";

const agent = "agent:w/researcher";
const person = { actor: "kim", reason: "maintenance" };

/** Five stalled tasks open their agent. */
function openAgent() {
  const world = bench();
  repeat(5, () => world.set.watchTask([agent]).end(failure));
  expect(world.view(agent).state).toBe("OPEN");
  return world;
}

it("[BR-6] a task that begins and stalls while its agent is OPEN is late: the opening is not stamped anew", () => {
  const world = openAgent();
  const before = world.events.length;

  repeat(6, () => world.set.watchTask([agent]).end(failure));

  expect(world.view(agent)).toMatchObject({ openCount: 1, counts: { late: 6 } });
  expect(world.events).toHaveLength(before);
});

it("[BR-5] [BR-9] a lapsed probe says so: the trigger, and how long nobody renewed it", () => {
  const world = opened();
  world.clock.advance(30_000);
  world.admitted();
  world.clock.advance(60_000);

  expect(world.events.at(-1)).toMatchObject({
    type: "breaker.open",
    triggers: ["probe_lapsed"],
    evidence: { probe_lapsed: { leaseMs: 60_000 } },
  });
});

it("[BR-5] what a probe failed with is told by its name, and without one as a failure", () => {
  const world = opened();
  world.clock.advance(30_000);
  world.call("failure");
  expect(world.events.at(-1)).toMatchObject({
    evidence: { probe_failed: { kind: "server_error" } },
  });
  world.clock.advance(60_000);
  const { failureKind: _kind, ...nameless } = failure;
  world.admitted().end(nameless);

  expect(world.events.at(-1)).toMatchObject({ evidence: { probe_failed: { kind: "failure" } } });
});

it("[BR-9] an ordinary call, and who watches a task, may renew what needs no renewal", () => {
  const world = bench();
  expect(world.admitted().renew()).toBe(true);

  const cell = openedCell();
  cell.advance(30_000);
  expect(cell.state).toBe("HALF_OPEN");
  expect(cell.renew(cell.observe(30_000), 30_000)).toBe(true);
});

it("[BR-6] [BR-9] a probe that gave its slot back is over: neither renewed nor counted again", () => {
  const cell = openedCell();
  const probe = cell.acquire(30_000);
  if (!probe.admitted) throw new Error("refused");
  expect(probe.kind).toBe("probe");
  cell.record(probe, endOf("ignored", 30_000));

  expect(cell.renew(probe, 30_001)).toBe(false);
  cell.record(probe, endOf("failure", 30_001));

  expect([cell.state, cell.late]).toEqual(["HALF_OPEN", 1]);
});

it("[BR-8] tasks that complete while it is HALF_OPEN are no probes: they close nothing", () => {
  const world = openAgent();
  world.clock.advance(30_000);

  repeat(3, () => world.set.watchTask([agent]).end("success"));

  expect(world.view(agent).state).toBe("HALF_OPEN");
});

it("[BR-10] what burns is asked for thrift, also when its failures alone would have opened it", () => {
  const world = bench();
  repeat(10, () => world.call("success", { key: agent, tokens: 10_000 }));
  repeat(4, () => world.call("failure", { key: agent, tokens: 10_000 }));
  world.call("failure", { key: agent, tokens: 60_000 });
  expect(world.events.at(-1)).toMatchObject({ triggers: ["consecutive_failures", "burn_call"] });
  world.clock.advance(30_000);

  world.call("success", { key: agent, tokens: 30_001 });

  expect(world.events.at(-1)).toMatchObject({
    type: "breaker.open",
    evidence: { probe_failed: { kind: "still_burning" } },
  });
});

it("[BR-11] only a failure's Retry-After counts", () => {
  const world = bench();
  world.call("success", { retryAfterMs: 3_600_000 });
  repeat(5, () => world.call("failure"));

  expect(world.events.at(-1)).toMatchObject({ type: "breaker.open", cooldownMs: 30_000 });
});

it("[BR-12] FORCED_CLOSED does not count what was admitted before it", () => {
  const world = bench();
  const early = world.admitted();
  world.set.force(tool, { state: "FORCED_CLOSED", ...person });
  early.end(failure);
  expect(world.view().totals.failures).toBe(0);

  world.call("failure");

  expect(world.view().totals.failures).toBe(1);
});

it("[BR-12] whichever comes first is due next: the end of a forced state, or of the cooldown below it", () => {
  const cell = new OperatedCell({
    settings: defaultBreakerSettings,
    tier: "tool",
    isUmbrella: false,
    random: noJitter,
  });
  const permits = (nowMs: number): void =>
    repeat(5, () => {
      const permit = cell.acquire(nowMs);
      if (permit.admitted) cell.record(permit, endOf("failure", nowMs));
    });
  cell.force({ state: "METRICS_ONLY", ...person, forMs: 100_000 }, 0);
  expect(cell.dueMs).toBe(100_000);
  permits(1000);
  expect(cell.dueMs).toBe(31_000);

  cell.force({ state: "METRICS_ONLY", ...person, forMs: 10_000 }, 40_000);
  permits(41_000);
  expect(cell.dueMs).toBe(50_000);
});

it("[BR-18] every event of a breaker names the process that tells it", () => {
  const world = opened({ bootId: "boot-7" });
  world.clock.advance(30_000);
  repeat(2, () => world.admitted().end("success", done));

  expect(world.types()).toEqual([
    "breaker.open",
    "breaker.half_open",
    "breaker.probe",
    "breaker.probe",
    "breaker.close",
  ]);
  for (const event of world.events) expect(event).toMatchObject({ bootId: "boot-7" });
});

it("[BR-13] what failed before an episode is no second source after it", () => {
  const sources = new FailingSources();
  sources.failed("a", 10);
  sources.failed("b", 11);
  expect(sources.areSeveralSince(10)).toBe(true);

  sources.clear();
  expect(sources.areSeveralSince(0)).toBe(false);
  sources.failed("c", 12);

  expect(sources.areSeveralSince(0)).toBe(false);
});

it("the cells of a window are those that hold something, newest first, each with its age", () => {
  const window = new RingWindow(60);
  window.roll(100);
  window.addFailure();
  window.roll(130);
  window.addSuccess();
  window.roll(131);
  window.addTokens(500);
  window.roll(140);

  expect(window.cells()).toEqual([
    { age: 9, successes: 0, failures: 0, tokens: 500, tokenCalls: 1 },
    { age: 10, successes: 1, failures: 0, tokens: 0, tokenCalls: 0 },
    { age: 40, successes: 0, failures: 1, tokens: 0, tokenCalls: 0 },
  ]);
});

function openedCell(): BreakerCell {
  const cell = new BreakerCell({
    settings: defaultBreakerSettings,
    tier: "tool",
    isUmbrella: false,
    random: noJitter,
    report: () => undefined,
  });
  repeat(5, () => cell.record(cell.acquire(0) as CellPermit, endOf("failure", 0)));
  expect(cell.dueMs).toBe(30_000);
  return cell;
}

function endOf(verdict: CellEnd["verdict"], atMs: number): CellEnd {
  return {
    atMs,
    verdict,
    unit: "call",
    tokens: 0,
    source: "",
    envelopeTokens: undefined,
    completedProgress: true,
    retryAfterMs: 0,
    failureKind: undefined,
  };
}
