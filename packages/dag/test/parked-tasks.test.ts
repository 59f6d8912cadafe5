import { parkingsOf, pendingCommands, summaryStatus, viewRun } from "@bridle/dag";
import type { TaskOutcome } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow, World } from "./support/world.ts";

const key = "provider:north/large";
const hour = 3_600_000;
const user = { reason: "r", by: "alice" };

/** A refusal as a worker tells it. */
function refusal(retryAfterMs = 40_000): TaskOutcome {
  const outcome = failure("breaker_open", { retryAfterMs });
  if (outcome.status !== "failed") return outcome;
  const evidence = { key, reason: "open", bootId: "boot_1", toldAt: 77 };
  return { ...outcome, stop: { ...outcome.stop, evidence } };
}

/** A run whose tasks are parked, in this order. */
function parked(...ids: readonly string[]): World {
  const world = started(workflow(Object.fromEntries(ids.map((id) => [id, []]))));
  for (const id of ids) world.finish(id, refusal());
  return world;
}

describe("a task behind an open breaker", () => {
  it("[B10] is parked without a trace of an attempt: none is spent, nobody has it, nothing is dispatched", () => {
    const world = parked("a");
    expect(world.run.tasks["a"]).toMatchObject({ status: "PARKED", attempt: 1, spent: 0 });
    expect(world.pending()).toEqual([]);
    world.release("a");
    world.finish("a");
    expect(world.run.tasks["a"]).toMatchObject({ status: "COMPLETED", attempt: 2, spent: 0 });
  });

  it("[BR-18] says which breaker it waits for, why, since when, when it may be asked again, and when it gives up", () => {
    const world = parked("a");
    expect(viewRun(world.run).tasks[0]?.parked).toEqual({
      breaker: key,
      reason: "open",
      since: world.at,
      until: world.at + 40_000,
      failsAt: world.at + hour,
    });
    expect(world.events.findLast(({ type }) => type === "task.parked")).toMatchObject({
      breaker: key,
      until: world.at + 40_000,
      reason: "open",
      bootId: "boot_1",
      toldAt: 77,
    });
    world.release("a");
    expect(viewRun(world.run).tasks[0]?.parked).toBeUndefined();
  });

  it("[BR-18] does not go on by itself when the breaker's time is over: it waits for its turn", () => {
    const world = parked("a");
    expect([...world.timers.keys()].filter((name) => name.startsWith("retry:"))).toEqual([]);
    world.at += 50_000;
    world.tell({ type: "timer", key: "retry:a" });
    expect(world.status("a")).toBe("PARKED");
  });

  it("goes once: a release said twice, or of an attempt before, means nothing", () => {
    const world = parked("a");
    world.release("a");
    const release = { type: "release", taskId: "a" as never } as const;
    expect(world.tell({ ...release, attempt: 1 })).toEqual([]);
    expect(world.tell({ ...release, attempt: 2 })).toEqual([]);
    world.finish("a", refusal());
    expect(world.tell({ ...release, attempt: 1 })).toEqual([]);
    expect(world.dispatched()).toEqual(["a#1", "a#2"]);
  });

  it("[WD-3] fails after an hour behind breakers, all its parkings together, with the breaker's name", () => {
    const world = parked("a");
    world.at += hour / 2;
    world.release("a");
    world.at += hour;
    world.finish("a", refusal());
    expect(world.timers.get(`parked:a:${key}`)).toBe(world.at + hour / 2);
    world.fire(`parked:a:${key}`);
    expect(world.run.tasks["a"]).toMatchObject({
      status: "FAILED",
      spent: 0,
      error: { code: "breaker_open", cause: "breaker_open" },
      stop: { guard: "breaker", evidence: { breaker: key, parkedMs: hour } },
    });
    expect(world.commands).toContainEqual({ type: "close-envelope", envelope: "a" });
  });

  it("one that has had its hour fails at the next refusal", () => {
    const world = parked("a");
    world.at += hour + 1000;
    world.release("a");
    world.finish("a", refusal());
    expect(world.status("a")).toBe("FAILED");
  });

  it("its timer, fired early, is set again; fired after its release, it means nothing", () => {
    const world = parked("a");
    const due = world.timers.get(`parked:a:${key}`);
    world.at += 1000;
    world.timers.clear();
    world.tell({ type: "timer", key: `parked:a:${key}` });
    expect(world.timers.get(`parked:a:${key}`)).toBe(due);
    world.release("a");
    expect(world.timers.has(`parked:a:${key}`)).toBe(false);
    world.at += hour;
    expect(world.tell({ type: "timer", key: `parked:a:${key}` })).toEqual([]);
  });
});

describe("[B10] while a task is parked", () => {
  it("[WD-3] the run's clock stands until it is released", () => {
    const world = parked("a");
    expect(world.timers.has("run-timeout")).toBe(false);
    expect(summaryStatus(world.run)).toBe("WAITING");
    world.at += 30 * 60_000;
    world.release("a");
    expect(world.timers.get("run-timeout")).toBe(world.at + hour);
  });

  it("a cancel ends it at once and takes its timer away", () => {
    const world = parked("a", "b");
    world.tell({ type: "cancel", taskId: "a" as never, ...user });
    expect(world.statuses()).toEqual({ a: "CANCELLED", b: "PARKED" });
    expect(world.timers.has(`parked:a:${key}`)).toBe(false);
    world.tell({ type: "cancel", ...user });
    expect(world.outcome).toBe("CANCELLED");
    expect(world.timers.size).toBe(0);
  });

  it("a pause lets nothing go and takes nothing of the hour; a resume lets it wait on", () => {
    const world = parked("a");
    world.at += 10 * 60_000;
    world.tell({ type: "pause", ...user });
    expect(parkingsOf(world.run)).toEqual([]);
    expect(world.release("a")).toEqual([]);
    world.at += 5 * hour;
    expect(world.tell({ type: "timer", key: `parked:a:${key}` })).toEqual([]);
    world.tell({ type: "resume", by: "alice" });
    expect(world.status("a")).toBe("PARKED");
    expect(world.timers.get(`parked:a:${key}`)).toBe(world.at + 50 * 60_000);
    expect(parkingsOf(world.run)).toHaveLength(1);
    world.fire(`parked:a:${key}`);
    expect(world.status("a")).toBe("FAILED");
  });

  it("a task refused while its run is paused is parked, and its hour begins with the resume", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "pause", ...user });
    world.at += 1000;
    world.finish("a", refusal());
    world.at += 2 * hour;
    world.tell({ type: "resume", by: "alice" });
    expect(world.timers.get(`parked:a:${key}`)).toBe(world.at + hour);
  });

  it("a snapshot, and a scheduler that takes over, know what is parked and on whose word", () => {
    const world = parked("a", "b");
    world.run = JSON.parse(JSON.stringify(world.run)) as World["run"];
    expect(pendingCommands(world.run)).toEqual([]);
    expect(parkingsOf(world.run, ["b"])).toEqual([
      {
        task: { runId: "run_test1", taskId: "b", attempt: 1, breaker: key, parkedAt: world.at },
        word: {
          type: "refused",
          breaker: key,
          teller: "boot_1",
          at: 77,
          reason: "open",
          until: world.at + 40_000,
        },
      },
    ]);
    expect(parkingsOf(world.run).map(({ task }) => task.taskId)).toEqual(["a", "b"]);
  });

  it("its worker's loss, a late result and a stale journal entry change nothing", () => {
    const world = parked("a");
    expect(world.lose("a")).toEqual([]);
    expect(world.finish("a", undefined, 1)).toEqual([]);
    world.claim("a");
    expect(world.status("a")).toBe("PARKED");
  });

  it("the items of a fan-out hold their places of its concurrency, so that no more than those are parked", () => {
    const world = new World(
      workflow({ s: { forEach: { items: "${{ input.list }}" }, concurrency: { limit: 2 } } }),
    );
    world.evaluations.set("s", { kind: "list", length: 5 });
    world.start();
    for (const id of ["s[0]", "s[1]"]) world.finish(id, refusal());
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1"]);
    expect(world.timers.has("run-timeout")).toBe(false);
    world.release("s[0]");
    world.finish("s[0]");
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[0]#2", "s[2]#1"]);
  });
});

it("[BR-17] a task that waits at its step is shown so, and is running again once its call is let out", () => {
  const world = started(workflow({ a: [] })).claim("a");
  const of = { at: world.at, runId: world.run.runId as never, taskId: "a" as never, attempt: 1 };
  world.fold({ type: "task.waiting", ...of, on: key, until: world.at + 60_000 });
  expect(world.status("a")).toBe("WAITING");
  const amounts = { tokens: "1", nanoUsd: "1", calls: "1" };
  world.fold({ type: "budget.reserved", ...of, step: 1, holdId: "hold_1", amounts });
  expect(world.status("a")).toBe("RUNNING");
});
