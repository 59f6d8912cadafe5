import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { Stop } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow, World } from "./support/world.ts";

const none = toWireAmounts(noAmounts);
/** The core knows no ledger: the shell fills these in. */
const unfilled = { spent: none, reserved: none, limit: none, resumable: false };
const user = { reason: "enough", by: "alice" };

function stopOf(world: World, taskId: string): Stop | undefined {
  return world.run.tasks[taskId]?.stop;
}

describe("what a stop of the scheduler's own says: who, by which rule, on what evidence, and what to do", () => {
  it("a worker that is gone for good", () => {
    const world = started(workflow({ a: [] }));
    for (let loss = 1; loss <= 3; loss += 1) {
      expect(world.lose("a")[0]).toMatchObject({ type: "task.lost", attempt: loss, bootId: "b" });
      if (world.timers.has("retry:a")) world.fire("retry:a");
    }
    expect(stopOf(world, "a")).toEqual({
      ...unfilled,
      reason: "worker_lost",
      guard: "scheduler",
      rule: "worker lease",
      evidence: { bootId: "b", attempt: 3 },
      hint: "The worker that ran the task is gone and stayed gone over the retries. Check whether the task exhausts its memory.",
    });
    expect(world.run.tasks["a"]?.error).toEqual({
      code: "worker_lost",
      cause: "worker_lost",
      message: "The worker that ran the task is gone.",
    });
  });

  it("[BR-17] a breaker that stayed open for an hour", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure("breaker_open"));
    world.fire("parked:a:breaker_open");
    expect(stopOf(world, "a")).toEqual({
      ...unfilled,
      reason: "breaker_open",
      guard: "breaker",
      rule: "BR-17",
      evidence: { breaker: "breaker_open", parkedMs: 3_600_000 },
      hint: "The breaker stayed open for as long as a task may be parked. Submit again once its target is healthy.",
    });
    expect(world.run.tasks["a"]?.error?.message).toBe(
      "Parked for 60 minutes behind an open breaker.",
    );
  });

  it("[B152] an expression that could not be evaluated, of a task and of the run's output", () => {
    const told = { code: "expression_failed", message: "No such key: x" } as const;
    const expected = {
      ...unfilled,
      reason: "expression_failed",
      guard: "none",
      rule: "expressions",
      evidence: told,
      hint: "Correct the expression or the data it reads, then submit again.",
    };
    const world = new World(workflow({ a: [] }));
    world.evaluations.set("a", { kind: "error", ...told });
    world.start();
    expect([stopOf(world, "a"), world.run.finished?.stop]).toEqual([expected, expected]);

    const ofOutput = started(workflow({ a: [] }, { output: "${{ tasks.a.output.x }}" }));
    ofOutput.autoEvaluate = false;
    ofOutput.finish("a");
    ofOutput.tell({ type: "output-evaluated", result: { ok: false, ...told } });
    expect(ofOutput.run.finished).toMatchObject({ status: "FAILED", hasOutput: false });
    expect(ofOutput.run.finished?.stop).toEqual(expected);
  });

  it("[WD-3] a run that took too long", () => {
    const world = started(workflow({ a: [] }, { timeout: { run: "1h" } }));
    world.fire("run-timeout");
    expect(world.run.finished).toMatchObject({ status: "TIMED_OUT", hasOutput: false });
    expect(world.run.finished?.stop).toEqual({
      ...unfilled,
      reason: "run_timeout",
      guard: "watchdog",
      rule: "timeout.run",
      evidence: { timeoutMs: 3_600_000 },
      hint: "Raise timeout.run, or split the workflow.",
    });
  });

  it.each([
    ["a run that was cancelled names who and why", undefined, { by: "alice", reason: "enough" }],
    ["a run of which a task was cancelled names the task", "a", { taskId: "a" }],
  ])("%s", (_, taskId, evidence) => {
    const world = started(workflow({ a: [] }));
    const cancel = { type: "cancel", ...user } as const;
    world.tell(taskId === undefined ? cancel : { ...cancel, taskId: taskId as never });
    expect(world.run.finished?.stop).toEqual({
      ...unfilled,
      reason: "cancelled",
      guard: "user",
      rule: "cancel",
      evidence,
      hint: "Somebody cancelled it. Submit again to start over.",
    });
  });

  it("[BU-17] a run paused by its envelope says how to go on, and whether it was degraded before", () => {
    const hintAfter = (code: string): string | undefined => {
      const world = started(workflow({ a: [] }, { budget: { onExceeded: "pause" } }));
      world.finish("a", failure("budget_refused", { code }));
      return world.run.paused?.stop?.hint;
    };
    const goOn =
      "Add to it with `bridle budget raise run_test1`, then `bridle runs resume run_test1`; or `bridle runs cancel run_test1`.";
    expect(hintAfter("budget_refused")).toBe(`The envelope cannot pay for the next step. ${goOn}`);
    expect(hintAfter("budget_exhausted_degraded")).toBe(
      `The envelope cannot pay for the next step. It was degraded as far as possible; the evidence has each rung's reason. ${goOn}`,
    );
  });
});

describe("[LF-5] what a decision keeps of a long message", () => {
  const long = "x".repeat(1000);

  it("500 characters of a task's, 160 of an item's, whether it is tried again or not", () => {
    const list = { forEach: { items: [1], maxFailures: 1 }, retry: { maxAttempts: 2 } };
    const world = new World(workflow({ a: { retry: { maxAttempts: 2 } }, s: list }));
    world.evaluations.set("s", { kind: "list", length: 1 });
    world.start();
    for (const [id, kept] of [
      ["s[0]", 160],
      ["a", 500],
    ] as const) {
      const retried = world.finish(id, failure("agent_error", { message: long }))[0];
      world.fire(`retry:${id}`);
      const failed = world.finish(id, failure("agent_error", { message: long }))[0];
      for (const event of [retried, failed]) {
        expect(event).toMatchObject({ taskId: id, message: "x".repeat(kept) });
      }
    }
  });

  it("500 characters of an expression's", () => {
    const world = new World(workflow({ a: [] }));
    world.evaluations.set("a", { kind: "error", code: "expression_failed", message: long });
    world.start();
    expect(world.run.tasks["a"]?.error?.message).toHaveLength(500);
    expect(stopOf(world, "a")?.evidence["message"]).toHaveLength(500);
  });
});
