import { ParkingLot } from "@bridle/dag";
import type { BreakerWord, ParkedTask } from "@bridle/dag";
import { asRunId, asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

const breaker = "provider:north/large";

function task(id: string, parkedAt = 0, key = breaker): ParkedTask {
  return { runId: asRunId("run_a"), taskId: asTaskId(id), attempt: 1, breaker: key, parkedAt };
}

function told(type: "half_opened" | "probed" | "closed", at: number, teller?: string): BreakerWord {
  return { type, breaker, teller, at };
}

function refused(at: number, until: number, teller?: string, reason = "open"): BreakerWord {
  return { type: "refused", breaker, teller, at, reason, until };
}

function lotOf(count: number): ParkingLot {
  const lot = new ParkingLot(30_000);
  for (let index = 0; index < count; index += 1) lot.park(task(`t${index}`));
  return lot;
}

/** How many leave at each of these times. */
function leaving(lot: ParkingLot, ...times: readonly number[]): readonly number[] {
  return times.map((at) => lot.release(at).tasks.length);
}

describe("[BR-18] when the worker whose word held is gone", () => {
  /** `boot_2` said something, then `boot_1` shut the gate for ten minutes and is gone at 1000. */
  function left(...words: readonly BreakerWord[]): ParkingLot {
    const lot = lotOf(20);
    for (const word of words) lot.hear(word, word.at);
    lot.hear(refused(500, 600_000, "boot_1"), 500);
    expect(leaving(lot, 1000)).toEqual([0]);
    lot.keepTellers(new Set(["boot_2", "boot_3"]), 1000);
    return lot;
  }

  it("an opening of another one holds until its time, and then two are tried", () => {
    const opened = { type: "opened", breaker, teller: "boot_2", at: 10, until: 90_000 } as const;
    expect(leaving(left(opened), 89_999, 90_000, 91_000, 120_000)).toEqual([0, 2, 0, 2]);
  });

  it.each([
    ["a half-opening", told("half_opened", 10, "boot_2")],
    ["a refusal because its probes were taken", refused(10, 20, "boot_2", "probes_taken")],
  ])("%s of another one lets two out, and two more after a while", (_, word) => {
    expect(leaving(left(word), 1000, 2000, 31_000)).toEqual([2, 0, 2]);
  });

  it.each([
    ["a close", told("closed", 10, "boot_2")],
    ["a refusal because of too many calls at once", refused(10, 20, "boot_2", "in_flight_cap")],
  ])("%s of another one begins a ramp", (_, word) => {
    expect(leaving(left(word), 1000, 2000, 3000)).toEqual([2, 4, 8]);
  });

  it("of several that are left the newest word counts, whoever spoke first", () => {
    const lot = left(refused(10, 90_000, "boot_2"), refused(20, 50_000, "boot_3"));
    expect(lot.release(1000).nextAt).toBe(50_000);
    const other = left(refused(20, 50_000, "boot_3"), refused(10, 90_000, "boot_2"));
    expect(other.release(1000).nextAt).toBe(50_000);
  });

  it("a probe tells of no state: what its worker said before it counts, or nothing", () => {
    const half = left(told("half_opened", 10, "boot_2"), told("probed", 20, "boot_2"));
    expect(leaving(half, 1000, 2000)).toEqual([2, 0]);
    const only = left(told("probed", 10, "boot_2"));
    expect(only.tellers).toEqual(new Set());
    expect(leaving(only, 1000, 2000, 3000)).toEqual([2, 4, 8]);
  });

  it("a ramp goes on as it was", () => {
    const lot = lotOf(20);
    lot.hear(told("closed", 0, "boot_1"), 0);
    expect(leaving(lot, 0, 1000)).toEqual([2, 4]);
    lot.keepTellers(new Set(), 1500);
    expect(leaving(lot, 1500, 2000)).toEqual([0, 8]);
  });

  it("and it is not, its gate stays as it was", () => {
    const lot = lotOf(20);
    lot.hear(refused(0, 500, "boot_1"), 0);
    lot.hear(told("half_opened", 500, "boot_1"), 500);
    expect(leaving(lot, 500)).toEqual([2]);
    lot.keepTellers(new Set(["boot_1"]), 600);
    expect(leaving(lot, 600)).toEqual([0]);
  });

  it("a word of nobody known stands, and nobody is asked for", () => {
    const lot = lotOf(20);
    lot.hear(refused(0, 40_000), 0);
    expect(lot.tellers).toEqual(new Set());
    lot.keepTellers(new Set(), 1000);
    expect(leaving(lot, 1000, 40_000)).toEqual([0, 2]);
  });

  it("what a worker that is left told is kept while nothing is parked", () => {
    const lot = lotOf(0);
    lot.hear(refused(0, 40_000, "boot_1"), 0);
    lot.keepTellers(new Set(["boot_1"]), 1000);
    lot.park(task("late", 2000));
    expect(leaving(lot, 2000, 40_000)).toEqual([0, 1]);
  });
});

describe("[BR-18] in which order words count", () => {
  it("a refusal of the instant of the close counts: it may have come after it", () => {
    const lot = lotOf(1);
    lot.hear(told("closed", 2000, "boot_1"), 2000);
    lot.hear(refused(2000, 40_000, "boot_1"), 2500);
    expect(leaving(lot, 2500, 40_000)).toEqual([0, 1]);
  });

  it("a refusal from before the close changes nothing of a ramp that has begun", () => {
    const lot = lotOf(20);
    lot.hear(told("closed", 0, "boot_1"), 0);
    expect(leaving(lot, 0, 1000)).toEqual([2, 4]);
    lot.hear(refused(-1, 40_000, "boot_1"), 1500);
    expect(leaving(lot, 1500, 2000)).toEqual([0, 8]);
  });

  it("a refusal from before the close, when the line was empty meanwhile, begins a ramp and no trial", () => {
    const lot = lotOf(1);
    lot.hear(told("closed", 0, "boot_1"), 0);
    expect(leaving(lot, 0)).toEqual([1]);
    lot.hear(refused(-1, 40_000, "boot_1"), 3000);
    for (let index = 0; index < 20; index += 1) lot.park(task(`late${index}`, 3000));
    expect(leaving(lot, 3000, 4000, 5000)).toEqual([2, 4, 8]);
  });

  it("too many calls at once shut a ramp for a moment, and open no breaker that is shut for longer", () => {
    const lot = lotOf(20);
    lot.hear(refused(0, 500, "boot_1", "in_flight_cap"), 0);
    expect(leaving(lot, 0, 500, 1500)).toEqual([0, 2, 4]);
    lot.hear(refused(2000, 3000, "boot_1", "in_flight_cap"), 2000);
    expect(leaving(lot, 2999, 3000, 4000)).toEqual([0, 2, 4]);
    lot.hear(refused(5000, 90_000, "boot_2"), 5000);
    lot.hear(refused(5001, 5500, "boot_1", "in_flight_cap"), 5001);
    expect(leaving(lot, 5500, 89_999, 90_000)).toEqual([0, 0, 2]);
  });

  it("a probe that is the first word changes nothing: two are tried", () => {
    const lot = lotOf(20);
    lot.hear(told("probed", 0, "boot_1"), 0);
    expect(leaving(lot, 0, 1000, 30_000)).toEqual([2, 0, 2]);
  });
});

describe("[BR-18] a line", () => {
  it("of which nobody said a word is tried two at a time", () => {
    expect(leaving(lotOf(20), 0, 0, 29_999, 30_000)).toEqual([2, 0, 0, 2]);
  });

  it("is in the order of parking when the second one was heard of first", () => {
    const lot = lotOf(0);
    lot.park(task("late", 500));
    lot.park(task("early", 100));
    expect(lot.release(1000).tasks.map(({ taskId }) => taskId)).toEqual(["early", "late"]);
  });

  it("is asked after again when its gate opens, and no more once it is empty", () => {
    const lot = lotOf(3);
    lot.hear(told("closed", 0, "boot_1"), 0);
    expect(lot.release(0).nextAt).toBe(1000);
    expect(lot.release(1000).nextAt).toBeUndefined();
  });

  it("that is empty asks for nothing where another one waits", () => {
    const lot = lotOf(1);
    lot.hear(refused(0, 40_000, "boot_1"), 0);
    lot.park(task("other", 0, "provider:south"));
    expect(lot.release(5000)).toMatchObject({ tasks: [{ taskId: "other" }], nextAt: 40_000 });
  });
});
