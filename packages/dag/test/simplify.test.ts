import type { RunCommand } from "@bridle/dag";
import type { Amounts, DecisionEvent, TaskOutcome } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const room: Amounts = { tokens: 1000, nanoUsd: 1000, calls: 10 };
const five = {
  plan: [],
  a: ["plan"],
  b: ["plan"],
  c: ["a", "b"],
  report: ["c"],
  publish: ["report"],
};
const collapse = {
  budget: { onExceeded: "degrade" },
  degrade: [
    {
      replace: ["a", "b", "c", "report"],
      with: { id: "quick", agent: "worker", budget: { maxTokens: 600, maxCalls: 4 } },
    },
  ],
  output: "${{ tasks.report.output }}",
};

function world(fields: Readonly<Record<string, unknown>> = collapse): World {
  const played = started(workflow(five, fields));
  played.finish("plan");
  return played.claim("a", "b");
}

const refusedByBudget = failure("budget_refused", { code: "budget_exhausted_degraded" });

function refusedBy(key: string): TaskOutcome {
  const outcome = failure("breaker_open");
  if (outcome.status === "completed") throw new Error("unreachable");
  return { ...outcome, stop: { ...outcome.stop, evidence: { key } } };
}

function said(events: readonly DecisionEvent[]): readonly string[] {
  return events.map((event) => `${event.type}${"taskId" in event ? ` ${event.taskId}` : ""}`);
}

function commandsOf(played: World, from = 0): readonly string[] {
  const named = (command: RunCommand): string =>
    "taskId" in command ? command.taskId : "envelope" in command ? command.envelope : "";
  return played.commands.slice(from).map((command) => `${command.type} ${named(command)}`);
}

describe("[D3] [BU-19] one task steps in for five", () => {
  it("one decision: what it needs is set aside first, then the others are stopped, the last ones first, their envelopes closed", () => {
    const played = world();
    const from = played.commands.length;
    const events = played.finish("a", refusedByBudget, 1, room);
    expect(said(events)).toEqual([
      "run.degraded a",
      "task.cancelled a",
      "task.cancelled report",
      "task.cancelled c",
      "task.cancelling b",
    ]);
    expect(events[0]).toMatchObject({
      by: "quick",
      replaced: ["a", "b", "c", "report"],
      cause: "budget_refused",
      code: "budget_exhausted_degraded",
      opening: "opening_run_test1_quick",
    });
    expect(commandsOf(played, from).slice(0, 6)).toEqual([
      "open-envelope quick",
      "reserve-opening quick",
      "close-envelope a",
      "close-envelope b",
      "cancel-attempt b",
      "set-timer ",
    ]);
    expect(played.commands).toContainEqual({
      type: "reserve-opening",
      taskId: "quick",
      holdId: "opening_run_test1_quick",
      amounts: { tokens: 600, nanoUsd: 0, calls: 4 },
    });
    expect(played.status("quick")).toBe("QUEUED");
  });

  it("[D5] the run ends as its own would have, with what was done told", () => {
    const played = world();
    played.finish("a", refusedByBudget, 1, room);
    played.finish("b", failure("cancelled"));
    expect(played.status("publish")).toBe("PENDING");
    played.finish("quick", success(["model:small instead of smart"]));
    played.finish("publish");
    expect(played.outcome).toBe("COMPLETED");
    expect(played.run.finished?.degraded).toEqual([
      "flow:quick instead of a, b, c, report",
      "model:small instead of smart",
    ]);
  });

  it("whoever waits for a replaced task waits for its stand-in and for what is still in hand of it", () => {
    const played = started(
      workflow(
        { x: [], y: ["x"] },
        {
          degrade: [{ replace: ["x"], with: { id: "quick", agent: "worker" } }],
        },
      ),
    );
    played.claim("x");
    played.finish("x", refusedBy("provider:p/m"), 1, room);
    expect([played.status("x"), played.status("y")]).toEqual(["CANCELLED", "PENDING"]);
    played.finish("quick");
    expect(played.status("y")).toBe("QUEUED");
  });

  it("[BR-17] [BU-17] a breaker's refusal enters too, whatever the budget is to do when it is exceeded", () => {
    const played = world({ ...collapse, budget: { onExceeded: "fail" } });
    played.finish("a", refusedBy("provider:p/m"), 1, room);
    expect(played.status("quick")).toBe("QUEUED");
    expect(played.status("a")).toBe("CANCELLED");
  });

  it.each([
    ["there is no room for it", refusedByBudget, collapse, { ...room, tokens: 599 }],
    ["the envelope pays for nothing more", refusedByBudget, collapse, undefined],
    [
      "[BU-9] onTrip keeps the credit for something else",
      refusedByBudget,
      { ...collapse, budget: { onExceeded: "degrade", onTrip: "cache" } },
      room,
    ],
    ["the breaker is the run's own", refusedBy("chain:run_test1"), collapse, room],
  ])(
    "nobody steps in when %s: the refusal means what it always means, with the reason beside the others",
    (_, outcome, fields, left) => {
      const played = world(fields);
      const events = played.finish("a", outcome, 1, left);
      expect(played.status("quick")).toBe("absent");
      expect(played.count("run.degraded")).toBe(0);
      const isBudget = outcome === refusedByBudget;
      expect(said(events)).toEqual(
        isBudget ? ["task.retrying a", "run.paused"] : ["task.parked a"],
      );
      if (!isBudget) return;
      expect(played.run.paused?.stop?.evidence).toMatchObject({
        rungs: [{ rung: "flow", outcome: "refused", reason: expect.any(String) as unknown }],
      });
      expect(played.run.paused?.stop).toMatchObject({ resumable: true });
    },
  );

  it("a task without a price, or outside the replaced ones, leads to nothing", () => {
    const priceless = world();
    priceless.finish("a", failure("budget_refused", { code: "price_unknown" }), 1, room);
    expect(priceless.count("run.degraded")).toBe(0);
    const outside = started(workflow(five, collapse));
    outside.finish("plan", refusedByBudget, 1, room);
    expect([outside.count("run.degraded"), outside.run.paused?.reason]).toEqual([0, "budget"]);
  });

  it("[BU-17] once: when the stand-in is refused in its turn the run pauses with every reason", () => {
    const played = world();
    played.finish("a", refusedByBudget, 1, room);
    played.finish("quick", refusedByBudget, 1, room);
    expect(played.count("run.degraded")).toBe(1);
    expect(played.run.paused?.reason).toBe("budget");
    played.tell({ type: "resume", by: "u" });
    expect(played.status("quick")).toBe("QUEUED");
  });

  it("[WD-14] a result that arrives before its cancel counts stays the task's own", () => {
    const played = world();
    played.finish("a", refusedByBudget, 1, room);
    played.finish("b");
    expect(played.status("b")).toBe("COMPLETED");
    played.finish("quick");
    played.finish("publish");
    expect(played.outcome).toBe("COMPLETED");
  });

  it("finished tasks of the set keep their results and are not named as replaced", () => {
    const played = world();
    played.finish("a");
    const events = played.finish("b", refusedByBudget, 1, room);
    expect(events[0]).toMatchObject({ replaced: ["b", "c", "report"] });
    expect(played.status("a")).toBe("COMPLETED");
  });

  it("a fan-out in hand is stopped with its items, and the refused item is nobody's to stop", () => {
    const fields = {
      budget: { onExceeded: "degrade" },
      degrade: [{ replace: ["each", "sum"], with: { id: "quick", agent: "worker" } }],
    };
    const list = { forEach: { items: [1, 2, 3] }, concurrency: { limit: 2 } };
    const played = new World(workflow({ each: list, sum: ["each"] }, fields));
    played.evaluations.set("each", { kind: "list", length: 3 });
    played.start();
    played.claim("each[0]", "each[1]");
    played.finish("each[0]", refusedByBudget, 1, room);
    expect([played.status("each[0]"), played.status("each[1]"), played.status("each")]).toEqual([
      "CANCELLED",
      "CANCELLING",
      "CANCELLING",
    ]);
    expect(played.commands.some((c) => c.type === "cancel-attempt" && c.taskId === "each[0]")).toBe(
      false,
    );
    played.finish("each[1]", failure("cancelled"));
    played.finish("quick");
    expect(played.outcome).toBe("COMPLETED");
    expect(played.status("each[2]")).toBe("absent");
  });

  it("a stand-in waits for what its tasks waited for and has not ended", () => {
    const tasks = { slow: [], quickly: [], x: ["quickly"], y: ["slow"] };
    const degrade = [{ replace: ["x", "y"], with: { id: "one", agent: "worker" } }];
    const played = started(workflow(tasks, { degrade }));
    played.finish("quickly");
    played.finish("x", refusedBy("tool:search"), 1, room);
    expect(played.status("one")).toBe("PENDING");
    played.finish("slow");
    expect(played.status("one")).toBe("QUEUED");
  });

  it.each([
    ["nobody handles", "completed", "FAILED"],
    ["a task with `when: failed` on a replaced one handles", "failed", "COMPLETED"],
  ])("the failure of a stand-in that %s decides the run", (_, when, outcome) => {
    const played = started(
      workflow(
        { x: [], after: [`x:${when}`] },
        {
          degrade: [
            { replace: ["x"], with: { id: "quick", agent: "worker", retry: { maxAttempts: 1 } } },
          ],
        },
      ),
    );
    played.finish("x", refusedBy("provider:p/m"), 1, room);
    played.finish("quick", failure());
    if (when === "failed") played.finish("after");
    expect(played.outcome).toBe(outcome);
  });

  it("a cancel of the run reaches the stand-in", () => {
    const played = world();
    played.finish("a", refusedByBudget, 1, room);
    played.claim("quick");
    played.tell({ type: "cancel", reason: "enough", by: "u" });
    expect(played.status("quick")).toBe("CANCELLING");
  });

  it("a run that was paused meanwhile starts it when it goes on", () => {
    const played = world();
    played.tell({ type: "pause", reason: "r", by: "u" });
    played.finish("a", refusedByBudget, 1, room);
    expect(played.status("quick")).toBe("PENDING");
    played.tell({ type: "resume", by: "u" });
    expect(played.status("quick")).toBe("QUEUED");
  });

  it("what was degraded in an attempt is told although a later one completes", () => {
    const played = started(workflow({ x: [] }));
    played.finish("x", failure("agent_error", { degraded: ["cache instead of p/m"] }));
    played.fire("retry:x");
    played.finish("x");
    expect(played.run.finished?.degraded).toEqual(["cache instead of p/m"]);
  });
});
