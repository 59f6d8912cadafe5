import { decide, evolve, initialRun } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

function chain(length: number): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [`t${index}`, index === 0 ? [] : [`t${index - 1}`]]),
  );
}

/** How many task states one decision touches: those it had to copy. */
function touched(world: World, taskId: string): number {
  const reads = new Set<string>();
  const tasks = new Proxy(world.run.tasks, {
    get(target, key) {
      if (typeof key === "string") reads.add(key);
      return target[key as string];
    },
  });
  const watched = { ...world.run, tasks };
  decide(
    watched,
    { type: "task-finished", taskId: taskId as never, attempt: 1, outcome: success() },
    world.at,
  );
  return reads.size;
}

describe("[B149] runs of ten thousand tasks", () => {
  it("[B149] a chain of 10,000 runs to its end", () => {
    const world = started(workflow(chain(10_000)));
    for (let index = 0; index < 10_000; index += 1) world.finish(`t${index}`);
    expect(world.outcome).toBe("COMPLETED");
  });

  it("[B149] the first failure of a chain of 10,000 skips the rest without recursion", () => {
    const world = started(workflow(chain(10_000), { onFailure: "continue" }));
    world.finish("t0", failure("limit"));
    expect(world.count("task.skipped")).toBe(9999);
    expect(world.outcome).toBe("FAILED");
  });

  it("[B149] 5,000 tasks into one: it starts once, after the last", () => {
    const fan = Array.from({ length: 5000 }, (_, index) => `f${index}`);
    const world = started(
      workflow({ ...Object.fromEntries(fan.map((id) => [id, []])), join: fan }),
    );
    for (const id of fan) world.finish(id);
    expect(world.dispatched().filter((each) => each === "join#1")).toEqual(["join#1"]);
  });

  it("one finish looks at the task and its neighbours, not at the run", () => {
    const world = started(workflow(chain(10_000)));
    expect(touched(world, "t0")).toBeLessThanOrEqual(3);
    const dependents = Array.from({ length: 200 }, (_, index) => [`d${index}`, ["t0"]]);
    const control = started(workflow({ t0: [], ...Object.fromEntries(dependents) }));
    expect(touched(control, "t0")).toBeGreaterThanOrEqual(200);
  });
});

describe("[LF-5] fan-outs of ten thousand items", () => {
  it("[LF-5] 10,000 items: two small decisions each, and linear work", () => {
    const forEach = { items: "${{ input.list }}", maxItems: 10_000 };
    const world = new World(workflow({ s: { forEach, concurrency: { limit: 100 } } }));
    world.evaluations.set("s", { kind: "list", length: 10_000 });
    world.start();
    for (let index = 0; index < 10_000; index += 1) world.finish(`s[${index}]`, success());
    expect(world.status("s")).toBe("COMPLETED");
    const counts = new Map<string, number>();
    for (const event of world.events) {
      if (!("taskId" in event) || event.taskId === "s") continue;
      expect(JSON.stringify(event).length).toBeLessThanOrEqual(512);
      counts.set(event.taskId, (counts.get(event.taskId) ?? 0) + 1);
    }
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(3);
    let refolded = initialRun(world.run.workflow);
    for (const event of world.events) refolded = evolve(refolded, event);
    expect(refolded).toEqual(world.run);
  });
});
