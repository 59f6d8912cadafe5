import { ParkingLot } from "@bridle/dag";
import type { BreakerWord, ParkedTask } from "@bridle/dag";
import { asRunId, asTaskId } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const north = "provider:north/large";
const south = "provider:south/large";

function task(name: string, parkedAt: number, breaker = north): ParkedTask {
  const [run = "", id = ""] = name.split(".");
  return { runId: asRunId(`run_${run}`), taskId: asTaskId(id), attempt: 1, breaker, parkedAt };
}

function told(
  type: "half_opened" | "probed" | "closed",
  at: number,
  teller = "boot_1",
): BreakerWord {
  return { type, breaker: north, teller, at };
}

function refused(at: number, until: number, teller = "boot_1") {
  return { type: "refused", breaker: north, teller, at, reason: "open", until } as const;
}

/** Names of who leaves now. */
function leaving(lot: ParkingLot, now: number): readonly string[] {
  return lot.release(now).tasks.map(({ runId, taskId }) => `${runId.slice(4)}.${taskId}`);
}

function lotOf(...names: readonly string[]): ParkingLot {
  const lot = new ParkingLot(30_000);
  lot.hear(refused(0, 30_000), 0);
  for (const [index, name] of names.entries()) lot.park(task(name, index));
  return lot;
}

describe("the parking lot", () => {
  it("[B10] [BR-18] lets go in the order of parking, across runs", () => {
    const lot = lotOf("a.one", "b.one", "a.two", "c.one");
    expect(leaving(lot, 29_999)).toEqual([]);
    expect(leaving(lot, 30_000)).toEqual(["a.one", "b.one"]);
    expect(leaving(lot, 60_000)).toEqual(["a.two", "c.one"]);
    expect(lot.release(90_000)).toEqual({ tasks: [], nextAt: undefined });
  });

  it("[BR-18] keeps that order when a run that parked first is heard of last, as after a takeover", () => {
    const lot = new ParkingLot(30_000);
    lot.hear(refused(0, 30_000), 0);
    for (const [name, at] of [
      ["late.one", 500],
      ["early.one", 100],
      ["early.two", 700],
      ["middle.one", 300],
    ] as const) {
      lot.park(task(name, at));
    }
    expect(leaving(lot, 30_000)).toEqual(["early.one", "middle.one"]);
    expect(leaving(lot, 60_000)).toEqual(["late.one", "early.two"]);
  });

  it("[BR-18] who is released and refused again goes to the end of the line", () => {
    const lot = lotOf("a.one", "a.two", "a.three");
    leaving(lot, 30_000);
    lot.hear(refused(31_000, 91_000), 31_000);
    lot.park(task("a.one", 31_000));
    expect(leaving(lot, 91_000)).toEqual(["a.three", "a.one"]);
  });

  it("[BR-18] breakers have lines of their own", () => {
    const lot = lotOf("a.one");
    lot.hear({ ...refused(0, 5000), breaker: south }, 0);
    lot.park(task("a.two", 1, south));
    expect(lot.release(0).nextAt).toBe(5000);
    expect(leaving(lot, 5000)).toEqual(["a.two"]);
    expect(lot.release(5000).nextAt).toBe(30_000);
  });

  it("forgets who was cancelled, and all of a run that is paused or gone", () => {
    const lot = lotOf("a.one", "b.one", "a.two", "b.two");
    lot.leave("run_b", "one");
    expect(lot.size).toBe(3);
    lot.leaveRun("run_a");
    expect(leaving(lot, 30_000)).toEqual(["b.two"]);
    expect(lot.size).toBe(0);
  });

  it("a task named twice stands once, at its newest place", () => {
    const lot = lotOf("a.one", "a.two");
    lot.park(task("a.one", 9));
    expect(lot.size).toBe(2);
    expect(leaving(lot, 30_000)).toEqual(["a.two", "a.one"]);
  });

  it("[BR-18] what was refused before its worker's breaker closed, and is heard of after, goes on as after a close", () => {
    const lot = new ParkingLot(30_000);
    lot.hear(told("closed", 2000), 2000);
    lot.hear(refused(1000, 40_000), 2500);
    lot.park(task("a.one", 2500));
    expect(leaving(lot, 2500)).toEqual(["a.one"]);
    // The control: a refusal after the close parks.
    lot.hear(refused(3000, 40_000), 3500);
    lot.park(task("a.one", 3500));
    expect(leaving(lot, 3500)).toEqual([]);
  });

  it("[BR-18] of workers that disagree the latest word counts: one may open the gate, and the next one shut it", () => {
    const lot = lotOf("a.one", "a.two", "a.three", "a.four", "a.five");
    lot.hear(refused(0, 600_000, "boot_2"), 0);
    expect(leaving(lot, 30_000)).toEqual([]);
    lot.hear(told("half_opened", 30_000), 30_000);
    expect(leaving(lot, 30_000)).toEqual(["a.one", "a.two"]);
    lot.hear(told("closed", 32_000), 32_000);
    expect(leaving(lot, 32_000)).toEqual(["a.three", "a.four"]);
    lot.hear(refused(32_500, 600_000, "boot_2"), 32_500);
    lot.park(task("a.three", 32_500));
    expect(leaving(lot, 40_000)).toEqual([]);
    expect(leaving(lot, 600_000)).toEqual(["a.five", "a.three"]);
  });

  it("[BR-18] a worker that is gone holds nothing: what it parked goes on as after a close", () => {
    const lot = lotOf("a.one", "a.two", "a.three");
    lot.keepTellers(new Set(["boot_1"]), 1000);
    expect(leaving(lot, 1000)).toEqual([]);
    lot.keepTellers(new Set(["boot_9"]), 1000);
    expect(leaving(lot, 1000)).toEqual(["a.one", "a.two"]);
    expect(leaving(lot, 2000)).toEqual(["a.three"]);
  });

  it("[BR-18] after a worker that is gone, the word of one that is left counts again", () => {
    const lot = lotOf("a.one");
    lot.hear(refused(0, 90_000, "boot_2"), 0);
    lot.hear(refused(10, 600_000, "boot_1"), 10);
    lot.keepTellers(new Set(["boot_2"]), 1000);
    expect(lot.release(1000)).toEqual({ tasks: [], nextAt: 90_000 });
    expect(lot.tellers).toEqual(new Set(["boot_2"]));
  });

  it("keeps nothing of workers that are gone and have nothing parked", () => {
    const lot = new ParkingLot(30_000);
    lot.hear(told("closed", 0), 0);
    expect(lot.tellers.size).toBe(1);
    lot.keepTellers(new Set(), 1);
    expect(lot.tellers.size).toBe(0);
  });

  it("[BR-18] a line that begins anew after a ramp begins slowly again", () => {
    const lot = new ParkingLot(30_000);
    lot.hear(told("closed", 0), 0);
    for (let index = 0; index < 14; index += 1) lot.park(task(`a.t${index}`, 0));
    const sizes = [0, 1000, 2000].map((at) => leaving(lot, at).length);
    expect(sizes).toEqual([2, 4, 8]);
    lot.hear(refused(-1, 40_000), 3000);
    for (let index = 0; index < 50; index += 1) lot.park(task(`b.t${index}`, 3000));
    expect(leaving(lot, 3000)).toHaveLength(2);
  });
});

type Move =
  | { readonly kind: "park"; readonly run: number; readonly retryMs: number }
  | { readonly kind: "half_opened" | "probed" | "closed" | "release" | "lose" }
  | { readonly kind: "opened"; readonly retryMs: number }
  | { readonly kind: "leave"; readonly run: number };

const moves: fc.Arbitrary<readonly (readonly [number, Move])[]> = fc.array(
  fc.tuple(
    fc.nat({ max: 5000 }),
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("park"),
          run: fc.nat(3),
          retryMs: fc.nat(60_000),
        }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("release") }) },
      {
        arbitrary: fc.record({ kind: fc.constantFrom("half_opened", "probed", "closed", "lose") }),
        weight: 2,
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("opened"), retryMs: fc.nat(60_000) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave"), run: fc.nat(3) }) },
    ) as fc.Arbitrary<Move>,
  ),
  { maxLength: 80 },
);

/** A lot that is played with, and what came of it. */
class Played {
  readonly lot = new ParkingLot(30_000);
  readonly parked: ParkedTask[] = [];
  /** Of runs that were taken out. */
  readonly out = new Set<string>();
  readonly released: (readonly [number, ParkedTask])[] = [];
  readonly batches: number[] = [];
  now = 0;

  park({ run, retryMs }: Extract<Move, { kind: "park" }>, isHeard: boolean): void {
    const one = task(`${run}.t${this.parked.length}`, this.now);
    if (isHeard) this.lot.hear(refused(this.now, this.now + retryMs), this.now);
    this.lot.park(one);
    this.parked.push(one);
  }

  leave(run: number): void {
    this.lot.leaveRun(`run_${run}`);
    for (const one of this.parked) if (one.runId === `run_${run}`) this.out.add(one.taskId);
  }

  release(): void {
    const { tasks } = this.lot.release(this.now);
    if (tasks.length > 0) this.batches.push(tasks.length);
    for (const one of tasks) this.released.push([this.now, one]);
  }

  tell(type: "half_opened" | "probed" | "closed"): void {
    this.lot.hear(told(type, this.now), this.now);
  }

  open(retryMs: number): void {
    const until = this.now + retryMs;
    const word = { type: "opened", breaker: north, teller: "boot_1", at: this.now, until } as const;
    this.lot.hear(word, this.now);
  }
}

function play(script: readonly (readonly [number, Move])[], everyRefusalIsHeard = true): Played {
  const played = new Played();
  for (const [waitMs, move] of script) {
    played.now += waitMs;
    const { kind } = move;
    if (kind === "park") played.park(move, everyRefusalIsHeard || played.parked.length === 0);
    else if (kind === "opened") played.open(move.retryMs);
    else if (kind === "leave") played.leave(move.run);
    else if (kind === "lose") played.lot.keepTellers(new Set(), played.now);
    else if (kind === "release") played.release();
    else played.tell(kind);
  }
  return played;
}

describe("laws of the parking lot", () => {
  it("[BR-18] no task is lost: whoever is not taken out leaves once, in the order of parking, if only somebody asks", () => {
    fc.assert(
      fc.property(moves, (script) => {
        const { lot, parked, out, released, now } = play(script);
        const left = released.map(([, one]) => one);
        let at = now;
        for (let asked = 0; lot.size > 0; asked += 1) {
          if (asked > 500) throw new Error("They never leave.");
          const { tasks, nextAt = at } = lot.release(at);
          left.push(...tasks);
          at = Math.max(at, nextAt);
        }
        const names = left.map(({ taskId }) => taskId);
        expect(new Set(names).size).toBe(names.length);
        const missing = parked.filter(({ taskId }) => !names.includes(taskId));
        for (const { taskId } of missing) expect(out).toContain(taskId);
        const times = left.map(({ parkedAt }) => parkedAt);
        expect(times).toEqual(times.toSorted((one, two) => one - two));
      }),
      { numRuns: 300 },
    );
  });

  it("[BR-18] of a breaker that does not close, never more than two leave in 30 s, whatever else is told", () => {
    const calm = moves.map((script) =>
      script.filter(([, { kind }]) => !["closed", "lose", "opened", "leave"].includes(kind)),
    );
    fc.assert(
      fc.property(calm, (script) => {
        // One episode: only the first refusal is heard.
        const times = play(script, false).released.map(([at]) => at);
        expect(times).toEqual(times.toSorted((one, two) => one - two));
        for (const from of times) {
          const within = times.filter((at) => at >= from && at < from + 30_000);
          expect(within.length).toBeLessThanOrEqual(2);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("[BR-18] however it goes, no batch is larger than the ramp allows since the last refusal", () => {
    fc.assert(
      fc.property(moves, (script) => {
        const { batches } = play(script);
        expect(batches[0] ?? 0).toBeLessThanOrEqual(2);
        for (const [index, size] of batches.entries()) {
          expect(size).toBeLessThanOrEqual(2 ** (index + 1));
        }
      }),
      { numRuns: 300 },
    );
  });
});
