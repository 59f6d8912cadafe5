import { decide } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

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
