import { SimulatedClock } from "@bridle/kernel/testing";
import { Watchdog } from "@bridle/watchdog";
import type { OpenWatch, WatchdogEvent } from "@bridle/watchdog";
import fc from "fast-check";
import { expect, it } from "vitest";

import { NaiveWatchdog } from "./support/naive-watchdog.ts";
import type { Action } from "./support/naive-watchdog.ts";

const tasks = 3;
const periodMs = 1000;
const task = fc.nat({ max: tasks - 1 });
const beat = fc.record({
  type: fc.constant("beat" as const),
  task,
  status: fc.constantFrom("RUNNING" as const, "RUNNING" as const, "FINISHED" as const),
  step: fc.nat({ max: 4 }),
  token: fc.option(fc.constantFrom("a", "b", "c", "d", "e", "f"), { nil: undefined }),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: beat },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("pass" as const),
      ms: fc.integer({ min: 1, max: 15_000 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("begin-step" as const),
      task,
      timeoutMs: fc.integer({ min: 1, max: 20_000 }),
      adaptive: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("end-step" as const), task }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("wait" as const),
      task,
      on: fc.constantFrom("child", "approval"),
      ms: fc.integer({ min: 1, max: 20_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("end-wait" as const), task }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("reopen" as const),
      task,
      taskMs: fc.integer({ min: 1, max: 60_000 }),
      graceLeftMs: fc.constantFrom(0, 5000, 60_000),
    }),
  },
);

class Real {
  readonly verdicts: string[] = [];
  readonly #clock: SimulatedClock;
  readonly #watchdog: Watchdog;
  readonly #watches: OpenWatch[];
  readonly #startMs: number;
  #opened = 0;

  constructor(first: { readonly taskMs: number; readonly graceLeftMs: number }, startMs: number) {
    this.#startMs = startMs;
    this.#clock = new SimulatedClock({ startMs });
    this.#watchdog = new Watchdog({
      clock: this.#clock,
      periodMs,
      slots: tasks,
      emit: (event) => this.#hear(event),
    });
    this.#watches = Array.from({ length: tasks }, () => this.#open(first));
  }

  apply(step: Action): void {
    if (step.type === "pass") return this.#clock.advance(step.ms);
    const watch = this.#watches[step.task];
    if (watch === undefined) throw new Error(`There is no task ${step.task}.`);
    switch (step.type) {
      case "beat": {
        const progress = step.token === undefined ? {} : { progress: step.token };
        watch.beat({ status: step.status, step: step.step, ...progress });
        return;
      }
      case "begin-step":
        return watch.beginStep({
          kind: "tool",
          timeoutMs: step.timeoutMs,
          adaptive: step.adaptive,
        });
      case "end-step":
        return watch.endStep();
      case "wait":
        return watch.waiting(step.on, step.ms);
      case "end-wait":
        return watch.endWait();
      case "reopen":
        watch.close();
        this.#watches[step.task] = this.#open(step);
    }
  }

  close(): void {
    this.#watchdog.close();
  }

  #open({ taskMs, graceLeftMs }: { readonly taskMs: number; readonly graceLeftMs: number }) {
    this.#opened += 1;
    return this.#watchdog.watch({ id: `task ${this.#opened}`, taskMs, graceLeftMs });
  }

  #hear(event: WatchdogEvent): void {
    if (event.type !== "verdict") return;
    const would = event.would === undefined ? "" : "would_";
    const atMs = this.#clock.monotonicMs() - this.#startMs;
    this.verdicts.push(`${atMs} ${event.watchId} ${would}${event.kind}`);
  }
}

/** A task that beats on and on without getting anywhere. */
const stuck = fc
  .record({ task, step: fc.nat({ max: 2 }), times: fc.integer({ min: 4, max: 8 }) })
  .map(({ times, ...beatOf }): readonly Action[] =>
    Array.from({ length: times }, () => [
      { type: "beat", status: "RUNNING", ...beatOf } as const,
      { type: "pass", ms: 2500 } as const,
    ]).flat(),
  );

const plan = fc.record({
  first: fc.record({
    taskMs: fc.integer({ min: 1, max: 90_000 }),
    graceLeftMs: fc.constantFrom(0, 60_000),
  }),
  actions: fc
    .array(fc.oneof({ weight: 12, arbitrary: action.map((one) => [one]) }, stuck), {
      maxLength: 80,
    })
    .map((parts): readonly Action[] => parts.flat()),
});

it("[WD-2][WD-4][WD-5][WD-6][WD-7][WD-10][WD-11] the table comes to the verdicts of the rules as written", () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(plan, ({ first, actions }) => {
      const naive = new NaiveWatchdog(tasks, first, periodMs);
      const real = new Real(first, 5000);
      for (const step of actions) {
        naive.apply(step);
        real.apply(step);
      }
      real.close();
      for (const verdict of naive.verdicts) kinds.add(verdict.replace(/.* /, ""));
      expect(real.verdicts.toSorted()).toEqual(naive.verdicts.toSorted());
    }),
    { numRuns: 1000 },
  );
  // The control: the plans reached every verdict there is.
  expect([...kinds].toSorted((left, right) => left.localeCompare(right))).toEqual([
    "stalled",
    "step_timeout",
    "task_timeout",
    "wait_expired",
    "would_stalled",
    "would_step_timeout",
    "would_task_timeout",
  ]);
});
