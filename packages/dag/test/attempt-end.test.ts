import { endCauses } from "@bridle/protocol";
import type { EndCause } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

/** Lets a task end by one cause until it is over, and says how often it was tried. */
function exhaust(cause: EndCause): { readonly world: World; readonly attempts: number } {
  const world = started(workflow({ a: { retry: { maxAttempts: 3 } } }));
  for (let round = 0; round < 500 && world.outcome === undefined; round += 1) {
    if (cause === "worker_lost") world.lose("a");
    else world.finish("a", failure(cause));
    if (world.timers.has("retry:a")) world.fire("retry:a");
    if (world.status("a") === "PARKED") world.release("a");
  }
  return { world, attempts: world.attempt("a") };
}

describe("[S5] what ends a task", () => {
  // Cause, state when it is over, attempts made: the table of the guards' manual, row by row.
  const rows: readonly (readonly [EndCause, string, number])[] = [
    ["agent_error", "FAILED", 3],
    ["output_invalid", "FAILED", 3],
    ["model_failed", "FAILED", 3],
    ["step_timeout", "FAILED", 3],
    ["task_timeout", "TIMED_OUT", 1],
    ["stalled", "FAILED", 1],
    ["loop", "FAILED", 1],
    ["wait_cycle", "FAILED", 1],
    ["worker_lost", "CRASHED", 3],
    ["child_crashed", "CRASHED", 3],
    ["handed_back", "CRASHED", 101],
    ["beats_lost", "CRASHED", 3],
    ["budget_refused", "BUDGET_EXCEEDED", 1],
    ["budget_unavailable", "CRASHED", 11],
    ["breaker_open", "FAILED", 121],
    ["limit", "FAILED", 1],
    ["unsafe_to_retry", "FAILED", 1],
    ["agent_broken", "FAILED", 1],
    ["expression_failed", "FAILED", 1],
    ["cancelled", "CANCELLED", 1],
  ];

  it("the table below has every cause", () => {
    expect(rows.map(([cause]) => cause).toSorted()).toEqual(Object.keys(endCauses).toSorted());
  });

  it.each(rows)("%s ends in %s after %i attempts", (cause, status, attempts) => {
    const result = exhaust(cause);
    expect([result.world.status("a"), result.attempts]).toEqual([status, attempts]);
  });

  it.each(rows)("%s: the run carries the stop of the task that ended it", (cause) => {
    const { run } = exhaust(cause).world;
    const expected = cause === "cancelled" ? { reason: "cancelled" } : run.tasks["a"]?.stop;
    expect(expected).toBeDefined();
    expect(run.finished?.stop).toMatchObject(expected ?? {});
  });

  it.each(rows)("%s spends an attempt only when the table says so", (cause) => {
    const { world, attempts } = exhaust(cause);
    expect(world.run.tasks["a"]?.spent).toBe(endCauses[cause].spendsAttempt ? attempts : 0);
  });

  it("a task whose worker was lost twice still has all its own attempts", () => {
    const world = started(workflow({ a: { retry: { maxAttempts: 2 } } }));
    world.lose("a");
    world.fire("retry:a");
    world.lose("a");
    world.fire("retry:a");
    world.finish("a", failure());
    world.fire("retry:a");
    world.finish("a");
    expect(world.status("a")).toBe("COMPLETED");
    expect(world.run.tasks["a"]?.spent).toBe(1);
  });

  it("[B176] a task outlives more rolling restarts than crashes: what a worker gives back is no crash", () => {
    const world = started(workflow({ a: { retry: { maxAttempts: 1 } } }));
    for (let restart = 1; restart <= 10; restart += 1) {
      world.finish("a", failure("handed_back"));
      world.fire("retry:a");
    }
    world.lose("a");
    world.fire("retry:a");
    world.finish("a");
    expect(world.status("a")).toBe("COMPLETED");
  });

  it("[B176] a task that a stopping worker gives back may go on elsewhere at once, a crashed one waits", () => {
    const delayAfter = (cause: Parameters<typeof failure>[0]): unknown => {
      const world = started(workflow({ a: [] }));
      world.finish("a", failure(cause));
      return world.events.findLast(({ type }) => type === "task.retrying");
    };
    expect(delayAfter("handed_back")).toMatchObject({ delayMs: 0 });
    expect(delayAfter("child_crashed")).not.toMatchObject({ delayMs: 0 });
  });

  it("lost workers and crashed children share one cap", () => {
    const world = started(workflow({ a: [] }));
    world.lose("a");
    world.fire("retry:a");
    world.finish("a", failure("child_crashed"));
    world.fire("retry:a");
    world.lose("a");
    expect(world.status("a")).toBe("CRASHED");
  });

  it("a failure that says so itself, or whose code the policy names, is not tried again", () => {
    const compiled = workflow({ a: { retry: { nonRetryable: ["bad_key"] } } });
    const first = started(compiled);
    first.finish("a", failure("agent_error", { retryable: false }));
    expect(first.status("a")).toBe("FAILED");
    const second = started(compiled);
    second.finish("a", failure("agent_error", { code: "bad_key" }));
    expect(second.status("a")).toBe("FAILED");
  });

  it("the wait before a retry doubles up to its maximum, never undercuts it, and is the same when decided again", () => {
    const delays = (type: string): readonly number[] => {
      const world = started(
        workflow({
          a: { retry: { maxAttempts: 6, backoff: { type, initial: "2s", max: "10s" } } },
        }),
      );
      const found: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        world.finish("a", failure());
        found.push((world.timers.get("retry:a") ?? 0) - world.at);
        world.fire("retry:a");
      }
      return found;
    };
    const base = [2000, 4000, 8000, 10_000, 10_000];
    for (const [index, delay] of delays("exponential").entries()) {
      expect(delay).toBeGreaterThanOrEqual(base[index] ?? 0);
      expect(delay).toBeLessThanOrEqual((base[index] ?? 0) * 1.25);
    }
    for (const delay of delays("fixed")) expect(delay).toBeLessThanOrEqual(2500);
    expect(delays("exponential")).toEqual(delays("exponential"));
    expect(new Set(delays("fixed")).size).toBeGreaterThan(1);
  });

  it("a time the failure names is a floor for the wait", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure("model_failed", { retryAfterMs: 90_000 }));
    expect((world.timers.get("retry:a") ?? 0) - world.at).toBeGreaterThanOrEqual(90_000);
  });

  it("the envelope opens with the first attempt, spans the others, and closes at the end", () => {
    const world = started(workflow({ a: { budget: { maxTokens: 5 } } }));
    world.finish("a", failure());
    world.fire("retry:a");
    world.finish("a");
    const envelopes = world.commands.filter((command) => command.type.endsWith("envelope"));
    expect(envelopes).toEqual([
      expect.objectContaining({ type: "open-envelope", taskId: "a" }),
      { type: "close-envelope", envelope: "a" },
      { type: "close-envelope", envelope: "run" },
    ]);
  });
});

describe("[B115] [B179] an end is final", () => {
  it("[B115] a result after a cancel or a second result changes nothing", () => {
    const world = started(workflow({ a: [], b: [] }));
    world.finish("a");
    expect(world.finish("a", failure())).toEqual([]);
    expect(world.lose("a")).toEqual([]);
    world.tell({ type: "cancel", taskId: "b" as never, reason: "r", by: "u" });
    expect(world.finish("b", success(), 1)).toEqual([]);
    expect(world.statuses()).toEqual({ a: "COMPLETED", b: "CANCELLED" });
  });

  it("[B179] a stall report in the journal does not touch a task that has completed", () => {
    const world = started(workflow({ a: [], b: [] }));
    const stalled = (taskId: string) =>
      world.fold({
        type: "task.stalled",
        at: 1,
        runId: "run_1" as never,
        taskId: taskId as never,
        attempt: 1,
        layer: "tool",
        step: 1,
        repeatBeats: 3,
        silentMs: 1,
      });
    world.finish("a");
    stalled("a");
    stalled("b");
    expect(world.statuses()).toEqual({ a: "COMPLETED", b: "STALLED" });
  });

  it("a result of an older attempt is ignored", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure());
    world.fire("retry:a");
    expect(world.finish("a", success(), 1)).toEqual([]);
    expect(world.status("a")).toBe("QUEUED");
  });
});
