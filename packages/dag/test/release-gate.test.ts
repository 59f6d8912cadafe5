import { describe, expect, it } from "vitest";

import type { BreakerWord } from "../src/parking/parking-types.ts";
import { hearWord, openGate } from "../src/parking/release-gate.ts";
import type { ReleaseGate } from "../src/parking/release-gate.ts";

const told = { breaker: "provider:x/y", teller: "boot_1", at: 0 };
const opened = (until: number): BreakerWord => ({ ...told, type: "opened", until });
const word = (type: "half_opened" | "probed" | "closed"): BreakerWord => ({ ...told, type });
const refused = (reason: string, until: number): BreakerWord => ({
  ...told,
  type: "refused",
  reason,
  until,
});

/** Seconds at which something is heard. */
type Script = Readonly<Record<number, BreakerWord>>;

/** Asks the gate each second and says how many left when. */
function schedule(
  script: Script,
  seconds: number,
  waiting = 1000,
): Readonly<Record<number, number>> {
  let gate: ReleaseGate | undefined;
  let left = waiting;
  const leaving: Record<number, number> = {};
  for (let second = 0; second <= seconds; second += 1) {
    const heard = script[second];
    if (heard !== undefined) gate = hearWord(gate, heard, second * 1000);
    if (gate === undefined) continue;
    const answer = openGate(gate, asking(left, second * 1000));
    gate = answer.gate;
    left -= answer.count;
    if (answer.count > 0) leaving[second] = answer.count;
  }
  return leaving;
}

function asking(waiting: number, now: number) {
  return { waiting, now, quietMs: 30_000 };
}

const open = opened(30_000);

describe("how fast parked tasks go on", () => {
  it.each<[string, Script, number, Readonly<Record<number, number>>]>([
    ["nothing leaves while the breaker is open", { 0: open }, 29, {}],
    [
      "two leave when it is half open, and two more after 30 s in which it let nothing out",
      { 0: open, 31: word("half_opened") },
      100,
      { 30: 2, 60: 2, 90: 2 },
    ],
    [
      "a half-opening that is told before its time counts at once",
      { 0: open, 20: word("half_opened") },
      60,
      { 20: 2, 50: 2 },
    ],
    [
      "a probe that is out puts the next two off by 30 s from there",
      { 0: open, 30: word("half_opened"), 40: word("probed") },
      80,
      { 30: 2, 70: 2 },
    ],
    [
      "who is refused because the probes are out shows that it is being tried",
      { 0: open, 30: word("half_opened"), 50: refused("probes_taken", 52_000) },
      85,
      { 30: 2, 80: 2 },
    ],
    [
      "after it has closed 2, 4, 8 … leave, a second apart",
      { 0: open, 30: word("half_opened"), 33: word("closed") },
      38,
      { 30: 2, 33: 2, 34: 4, 35: 8, 36: 16, 37: 32, 38: 64 },
    ],
    [
      "the first failure stops that: it opens again, and the rest stays parked",
      { 0: word("closed"), 3: opened(63_000), 63: word("half_opened") },
      70,
      { 0: 2, 1: 4, 2: 8, 63: 2 },
    ],
    [
      "a refusal stops it as well, before anybody has told of an opening",
      { 0: word("closed"), 2: refused("open", 32_000) },
      40,
      { 0: 2, 1: 4, 32: 2 },
    ],
    [
      "at the cap of calls in flight it waits as long as it was told and starts slowly again",
      { 0: word("closed"), 2: refused("in_flight_cap", 3_000) },
      5,
      { 0: 2, 1: 4, 3: 2, 4: 4, 5: 8 },
    ],
    [
      "another worker's half-opening does not slow it down",
      { 0: word("closed"), 2: word("half_opened"), 3: word("closed") },
      4,
      { 0: 2, 1: 4, 2: 8, 3: 16, 4: 32 },
    ],
    [
      "an operator's close counts before the cooldown is over",
      { 0: open, 5: word("closed") },
      6,
      { 5: 2, 6: 4 },
    ],
    [
      "a forced opening is asked again only when it may be",
      { 0: refused("forced_open", 30_000) },
      31,
      { 30: 2 },
    ],
  ])("[BR-18] %s", (_, script, seconds, expected) => {
    expect(schedule(script, seconds)).toEqual(expected);
  });

  it("[BR-18] what was late is not caught up on: a scheduler that slept lets one batch go", () => {
    const ramp = hearWord(undefined, word("closed"), 0) ?? never();
    const first = openGate(ramp, asking(100, 0));
    const late = openGate(first.gate, asking(98, 60_000));
    expect([first.count, late.count]).toEqual([2, 4]);
    expect(openGate(late.gate, asking(94, 60_500)).count).toBe(0);
  });

  it("says when to ask again, and nothing when nobody waits", () => {
    const shut = hearWord(undefined, opened(9000), 0) ?? never();
    expect(openGate(shut, asking(1, 0)).nextAt).toBe(9000);
    expect(openGate(shut, asking(0, 0)).nextAt).toBeUndefined();
    expect(openGate(shut, asking(5, 9000))).toMatchObject({ count: 2, nextAt: 39_000 });
    expect(openGate(shut, asking(2, 9000)).nextAt).toBeUndefined();
  });
});

function never(): never {
  throw new Error("A first word makes a gate.");
}
