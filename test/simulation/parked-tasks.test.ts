import { describe, expect, it } from "vitest";

import { judge, log, runId, who } from "./invariants/doctored-history.ts";
import { parkedTasksHoldNothing } from "./invariants/parked-tasks-hold-nothing.ts";

const parked = ["task.parked", { taskId: "a", attempt: 1, breaker: "x", until: 5 }] as const;
const hold = { taskId: "a", attempt: 1, amounts: { tokens: 1, nanoUsd: 1, calls: 1 } } as never;
const { taskId: _, ...others } = who;

describe("parkedTasksHoldNothing", () => {
  it("[B10] is content with a task that is parked, let go and parked again, and cancelled", () => {
    const history = log(
      parked,
      ["task.scheduled", { taskId: "a", attempt: 2 }],
      ["budget.reserved", { taskId: "a", attempt: 2 }],
      ["task.parked", { taskId: "a", attempt: 2, breaker: "x", until: 5 }],
      ["task.cancelled", { taskId: "a", attempt: 2 }],
    );
    expect(judge(parkedTasksHoldNothing(), history)).toBeUndefined();
  });

  it("[B10] is content with a hold that a lost attempt left behind", () => {
    const again = ["task.parked", { taskId: "a", attempt: 2, breaker: "x", until: 5 }] as const;
    const ledger = { type: "ledger", runId, envelopes: [], holds: [hold] } as const;
    expect(judge(parkedTasksHoldNothing(), [...log(again), ledger])).toBeUndefined();
  });

  it.each([
    ["a reservation", log(["budget.reserved", { taskId: "a", attempt: 1 }]), "reserves"],
    ["a second parking", log(parked), "parked twice"],
    ["a retry", log(["task.retrying", { taskId: "a", attempt: 1 }]), "task.retrying"],
    ["an attempt left out", log(["task.scheduled", { taskId: "a", attempt: 3 }]), "scheduled"],
    [
      "another end",
      log(["task.failed", { taskId: "a", attempt: 1, cause: "agent_error" }]),
      "failed",
    ],
    ["a hold", [{ type: "ledger", runId, envelopes: [], holds: [hold] } as const], "holds money"],
    [
      "a claim",
      [{ type: "claimed", ...others, runId, taskId: "a", attempt: 2, fence: 2 } as const],
      "was claimed",
    ],
  ])("[B10] sees %s of a parked task", (_what, seen, sentence) => {
    const history = [...log(parked), ...seen];
    expect(judge(parkedTasksHoldNothing(), history)).toContain(sentence);
  });
});
