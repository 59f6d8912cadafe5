import {
  addAmounts,
  asRunId,
  asTaskId,
  bridleError,
  endCauses,
  errorTable,
  eventClasses,
  fromWireAmounts,
  isTerminalRun,
  isTerminalTask,
  jobId,
  runEventSchema,
  runIdSchema,
  runStatuses,
  taskIdSchema,
  taskStatuses,
  toWireAmounts,
  wireAmountsSchema,
  workflowSpecSchema,
} from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const amounts = fc.record({ tokens: amount, nanoUsd: amount, calls: amount });

describe("amounts", () => {
  test("[BU-1] cross every boundary as decimal strings and come back to the last digit", () => {
    fc.assert(
      fc.property(amounts, (value) => {
        const wire = toWireAmounts(value);
        expect(wireAmountsSchema.parse(JSON.parse(JSON.stringify(wire)))).toEqual(wire);
        expect(fromWireAmounts(wire)).toEqual(value);
      }),
    );
  });

  test.each(["-1", "1.5", "1e3", "", "NaN", " 1"])('[BU-1] "%s" is not an amount', (text) => {
    expect(wireAmountsSchema.safeParse({ tokens: text, nanoUsd: "0", calls: "0" }).success).toBe(
      false,
    );
  });

  test("add up dimension by dimension", () => {
    expect(
      addAmounts({ tokens: 1, nanoUsd: 2, calls: 3 }, { tokens: 10, nanoUsd: 20, calls: 30 }),
    ).toEqual({ tokens: 11, nanoUsd: 22, calls: 33 });
  });
});

describe("identifiers", () => {
  test.each([
    ["plan", true],
    ["search[3]", true],
    ["search[99999]", true],
    ["3search", false],
    ["a:b", false],
    ["search[]", false],
    ["search[3][1]", false],
    ["", false],
    [3, false],
  ])("task id %s: %s", (id, valid) => {
    expect(taskIdSchema.safeParse(id).success).toBe(valid);
  });

  test.each([
    ["run_V1StGXR8Z5jdHi6B", true],
    ["run_", false],
    ["V1StGXR8", false],
    ["run_../../etc", false],
  ])("run id %s: %s", (id, valid) => {
    expect(runIdSchema.safeParse(id).success).toBe(valid);
  });

  test("[B157] each attempt has a job id of its own, without the character the queue reserves", () => {
    const job = { runId: asRunId("run_a1"), taskId: asTaskId("search[3]"), attempt: 1 };
    expect(jobId(job)).not.toBe(jobId({ ...job, attempt: 2 }));
    expect(jobId(job)).not.toContain(":");
  });
});

describe("states", () => {
  test("a run and a task have exactly these terminal states", () => {
    expect(runStatuses.filter(isTerminalRun)).toEqual([
      "COMPLETED",
      "FAILED",
      "CANCELLED",
      "TIMED_OUT",
      "BUDGET_EXCEEDED",
    ]);
    expect(taskStatuses.filter(isTerminalTask)).toEqual([
      "COMPLETED",
      "FAILED",
      "CANCELLED",
      "TIMED_OUT",
      "CRASHED",
      "SKIPPED",
      "BUDGET_EXCEEDED",
    ]);
  });
});

describe("errors", () => {
  test.each(Object.keys(errorTable) as (keyof typeof errorTable)[])(
    "%s carries its row",
    (code) => {
      const { message, retryable, status } = errorTable[code];
      expect(bridleError(code)).toMatchObject({ code, message, retryable, status });
      expect(message).toMatch(/\.$/);
    },
  );

  test("an occurrence may say more than the table and be retryable where the rule is not", () => {
    expect(
      bridleError("store_full", {
        message: "No space left in ./data.",
        retryable: false,
        details: { folder: "./data" },
      }),
    ).toMatchObject({
      message: "No space left in ./data.",
      retryable: false,
      details: { folder: "./data" },
    });
  });

  test("a cause that spends no attempt but is retried has a cap of its own, or a park that has one", () => {
    for (const [cause, rule] of Object.entries(endCauses)) {
      if (!rule.retried || rule.spendsAttempt) continue;
      expect([cause, rule.terminal === "PARKED" || "ownCap" in rule]).toEqual([cause, true]);
    }
  });
});

describe("events", () => {
  const scheduled = {
    type: "task.scheduled",
    at: 1,
    runId: "run_a1",
    taskId: "plan",
    attempt: 1,
    agent: "planner",
  };

  test("an entry of the log is read as what it is", () => {
    expect(runEventSchema.parse(scheduled)).toEqual(scheduled);
  });

  test.each([
    ["an unknown type", { ...scheduled, type: "task.vanished" }],
    ["a field too many", { ...scheduled, apiKey: "sk-1" }],
    ["a field too few", { ...scheduled, agent: undefined }],
    ["a transient event", { ...scheduled, type: "task.heartbeat", step: 1, status: "RUNNING" }],
  ])("%s is refused", (_, event) => {
    expect(runEventSchema.safeParse(event).success).toBe(false);
  });

  test("every type has one class", () => {
    expect(new Set(Object.values(eventClasses))).toEqual(
      new Set(["decision", "journal", "fleet", "transient"]),
    );
    expect(eventClasses["run.finished"]).toBe("decision");
    expect(eventClasses["budget.settled"]).toBe("journal");
  });
});

describe("a workflow as people write it", () => {
  const minimal = { name: "hello", tasks: [{ id: "greet", agent: "greeter" }] };

  test("[BU-3] leaves its budget to the defaults, which are not none", () => {
    const spec = workflowSpecSchema.parse(minimal);
    expect(spec.budget).toEqual({ onExceeded: "fail" });
    expect(spec.onFailure).toBe("fail_fast");
  });

  test("[BU-3] writes unlimited out", () => {
    expect(
      workflowSpecSchema.parse({ ...minimal, budget: { maxTokens: "unlimited" } }).budget.maxTokens,
    ).toBe("unlimited");
    expect(workflowSpecSchema.safeParse({ ...minimal, budget: { maxTokens: null } }).success).toBe(
      false,
    );
  });

  test("refuses a key it does not know and a duration without a unit, each with its place", () => {
    const { error } = workflowSpecSchema.safeParse({
      ...minimal,
      budgett: {},
      timeout: { run: 60 },
    });
    expect(error?.issues.map(({ path, code }) => [path.join("/"), code])).toEqual(
      expect.arrayContaining([
        ["", "unrecognized_keys"],
        ["timeout/run", "invalid_type"],
      ]),
    );
  });
});
