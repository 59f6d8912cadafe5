import { SingleFlight } from "@bridle/kernel";
import { describe, expect, test } from "vitest";

/** Work that ends when told to, and counts its rounds. */
function handWork() {
  const ends: (() => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const work = async (): Promise<void> => {
    running += 1;
    mostAtOnce = Math.max(mostAtOnce, running);
    try {
      await new Promise<void>((resolve, reject) => {
        ends.push(resolve);
        failures.push(reject);
      });
    } finally {
      running -= 1;
    }
  };
  return {
    work,
    ends,
    failures,
    rounds: () => ends.length,
    mostAtOnce: () => mostAtOnce,
  };
}

async function settled(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}

function never(error: unknown): never {
  throw error;
}

describe("work that is asked for while it runs", () => {
  test("begins with the first request, not before, and at once", async () => {
    const hand = handWork();
    const flight = new SingleFlight(hand.work, never);
    await flight.idle();
    expect(hand.rounds()).toBe(0);

    flight.request();
    expect(hand.rounds()).toBe(1);
  });

  test("runs exactly once more, however often it was asked for, and never twice at once", async () => {
    const hand = handWork();
    const flight = new SingleFlight(hand.work, never);
    for (let asked = 0; asked < 5; asked += 1) flight.request();
    await settled();
    expect(hand.rounds()).toBe(1);

    hand.ends[0]?.();
    await settled();
    expect(hand.rounds()).toBe(2);

    hand.ends[1]?.();
    await settled();
    expect([hand.rounds(), hand.mostAtOnce()]).toEqual([2, 1]);
  });

  test("runs once when it was asked for once, and again when it is asked for after its end", async () => {
    const hand = handWork();
    const flight = new SingleFlight(hand.work, never);
    flight.request();
    hand.ends[0]?.();
    await flight.idle();
    expect(hand.rounds()).toBe(1);

    flight.request();
    expect(hand.rounds()).toBe(2);
  });

  test("is idle only after the round that was asked for meanwhile", async () => {
    const hand = handWork();
    const flight = new SingleFlight(hand.work, never);
    flight.request();
    flight.request();
    let isIdle = false;
    const idle = (async () => {
      await flight.idle();
      isIdle = true;
    })();

    hand.ends[0]?.();
    await settled();
    expect(isIdle).toBe(false);

    hand.ends[1]?.();
    await idle;
    expect(isIdle).toBe(true);
  });

  test("tells of a round that failed, and goes on with the one that was asked for", async () => {
    const hand = handWork();
    const told: unknown[] = [];
    const flight = new SingleFlight(hand.work, (error) => told.push(error));
    const failure = new Error("the store is gone");
    flight.request();
    flight.request();

    hand.failures[0]?.(failure);
    await settled();
    expect([told, hand.rounds()]).toEqual([[failure], 2]);

    hand.ends[1]?.();
    await flight.idle();
    expect(told).toEqual([failure]);
  });
});
