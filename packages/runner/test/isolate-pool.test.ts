import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { IsolatePool } from "../src/isolates/isolate-pool.ts";
import { isolateDefaults } from "../src/isolates/isolate-settings.ts";
import type { Isolate, IsolateEnd } from "../src/isolates/isolate.ts";

interface FakeIsolate extends Isolate {
  residentMegabytes: number;
  isDirty: boolean;
  hasEnded: boolean;
  reclaims: number;
}

function fakeIsolate(): FakeIsolate {
  const end: IsolateEnd = { exitCode: 1, signal: undefined, fault: undefined, stderrTail: "" };
  return {
    isolation: "process",
    pid: 1234,
    groupId: 1234,
    folder: undefined,
    backlogBytes: 0,
    tasks: 0,
    residentMegabytes: 50,
    isDirty: false,
    hasEnded: false,
    reclaims: 0,
    get end() {
      return this.hasEnded ? end : undefined;
    },
    send: () => {},
    listen: () => {},
    pause: () => {},
    resume: () => {},
    terminate: () => {},
    residentBytes() {
      return this.residentMegabytes * 1024 * 1024;
    },
    hasLeftovers() {
      return this.isDirty;
    },
    async reclaim() {
      this.reclaims += 1;
      return { gone: true, leftPids: [] };
    },
  };
}

function poolOf(settings: Partial<typeof isolateDefaults> = {}) {
  const clock = new SimulatedClock();
  const started: FakeIsolate[] = [];
  const pool = new IsolatePool({
    agent: { name: "a" },
    clock,
    settings: { ...isolateDefaults, ...settings },
    start: async () => {
      const isolate = fakeIsolate();
      started.push(isolate);
      return { ok: true, isolate };
    },
  });
  /** One task, from acquire to release; `during` is what it does to its isolate. */
  const task = async (during: (isolate: FakeIsolate) => void = () => {}, isReusable = true) => {
    const isolate = await pool.acquire();
    // The pool hands out what `start` made.
    during(isolate as FakeIsolate);
    await pool.release(isolate, isReusable);
    return started.indexOf(isolate as FakeIsolate);
  };
  return { clock, pool, started, task };
}

it("[X2] a warm isolate takes the next task", async () => {
  const { task, started } = poolOf();
  expect([await task(), await task(), await task()]).toEqual([0, 0, 0]);
  expect(started).toMatchObject([{ tasks: 3, reclaims: 0 }]);
});

const spoilt: readonly (readonly [string, (isolate: FakeIsolate) => void])[] = [
  ["left something running", (isolate) => (isolate.isDirty = true)],
  ["holds more than half of its memory", (isolate) => (isolate.residentMegabytes = 257)],
  ["has ended", (isolate) => (isolate.hasEnded = true)],
];

it.each(spoilt)(
  "[X2] [X5] an isolate that %s is reclaimed, and the next task gets a new one",
  async (_, act) => {
    const { task, started } = poolOf();
    expect([await task(act), await task()]).toEqual([0, 1]);
    expect(started[0]?.reclaims).toBe(1);
  },
);

it("[X2] an isolate whose task was stopped is reclaimed", async () => {
  const { task, started } = poolOf();
  expect([await task(() => {}, false), await task()]).toEqual([0, 1]);
  expect(started[0]?.reclaims).toBe(1);
});

it("[X2] half of the memory is enough to go on with", async () => {
  const { task } = poolOf();
  expect([await task((isolate) => (isolate.residentMegabytes = 256)), await task()]).toEqual([
    0, 0,
  ]);
});

it("[X2] after its share of tasks, and at its age, an isolate is reclaimed", async () => {
  const byCount = poolOf({ maxTasks: 2 });
  expect([await byCount.task(), await byCount.task(), await byCount.task()]).toEqual([0, 0, 1]);
  const byAge = poolOf({ maxAgeMs: 1000 });
  await byAge.task();
  byAge.clock.advance(999);
  expect(await byAge.task()).toBe(0);
  byAge.clock.advance(1);
  // It is as old as it may be when its third task ends.
  expect([await byAge.task(), await byAge.task()]).toEqual([0, 1]);
});

it("[X2] an isolate without work is let go, and leaves no timer", async () => {
  const { clock, started, task } = poolOf({ idleMs: 500 });
  await task();
  clock.advance(499);
  expect(started[0]?.reclaims).toBe(0);
  clock.advance(1);
  expect([started[0]?.reclaims, clock.pendingTimers]).toEqual([1, 0]);
  expect(await task()).toBe(1);
});

it("[X2] what ended while it was idle is reclaimed and not handed out", async () => {
  const { started, task } = poolOf();
  await task();
  for (const isolate of started) isolate.hasEnded = true;
  expect(await task()).toBe(1);
  expect(started[0]?.reclaims).toBe(1);
});

it("a closed pool keeps nothing", async () => {
  const { clock, pool, started, task } = poolOf();
  await task();
  const inHand = await pool.acquire();
  await pool.close();
  await pool.release(inHand, true);
  expect([started.map(({ reclaims }) => reclaims), clock.pendingTimers]).toEqual([[1], 0]);
});
