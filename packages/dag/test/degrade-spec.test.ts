import { compileWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const tasks = [
  { id: "plan", agent: "a" },
  { id: "search", agent: "a", dependsOn: ["plan"] },
  { id: "translate", agent: "a", dependsOn: ["plan"] },
  { id: "review", agent: "a", dependsOn: ["search"] },
  { id: "report", agent: "a", dependsOn: ["search", "review"] },
  { id: "publish", agent: "a", dependsOn: ["report", "translate"] },
];
const quick = { id: "quick", agent: "a" };

function compile(degrade: unknown, fields: object = {}) {
  return compileWorkflow(
    { name: "test", tasks, degrade, ...fields },
    { agents: ["a"], models: ["small"] },
  );
}

function faults(degrade: unknown, fields: object = {}): readonly string[] {
  const answer = compile(degrade, fields);
  return answer.ok ? [] : answer.issues.map(({ pointer, code }) => `${pointer} ${code}`);
}

describe("[BU-19] what a simpler flow may replace", () => {
  it("is compiled with what the replaced tasks waited for, and what must be set aside for it", () => {
    const budget = { maxTokens: 500, maxUsd: 0.25, maxCalls: 3 };
    const answer = compile([
      { replace: ["report", "search", "review"], with: { ...quick, budget } },
    ]);
    if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
    expect(answer.workflow.degrade).toMatchObject([
      {
        replace: ["search", "review", "report"],
        with: { id: "quick", dependsOn: [{ task: "plan", when: "always" }] },
        opening: { tokens: 500, nanoUsd: 250_000_000, calls: 3 },
      },
    ]);
    expect(answer.workflow.tasks.map(({ id }) => id)).not.toContain("quick");
  });

  it("[BU-9] sets no more aside than its own envelope admits in strict mode", () => {
    const budget = { maxTokens: 505, maxCalls: 1 };
    const strict = { budget: { creditMode: "strict" } };
    const answer = compile([{ replace: ["report"], with: { ...quick, budget } }], strict);
    expect(answer.ok && answer.workflow.degrade?.[0]?.opening).toEqual({
      tokens: 454,
      nanoUsd: 0,
      calls: 0,
    });
  });

  it("sets one call aside when its author states no budget", () => {
    const answer = compile([{ replace: ["report"], with: quick }]);
    expect(answer.ok && answer.workflow.degrade?.[0]?.opening).toEqual({
      tokens: 0,
      nanoUsd: 0,
      calls: 1,
    });
  });

  it.each([
    [
      "a set with a task between two of its own",
      ["search", "report"],
      "/degrade/0/replace degrade_not_closed",
    ],
    ["a task that is not there", ["search", "reveiw"], "/degrade/0/replace/1 unknown_task"],
    ["a task named twice", ["report", "report"], "/degrade/0/replace/1 replaced_twice"],
    ["no task", [], "/degrade/0/replace invalid_value"],
  ])("refuses %s", (_, replace, fault) => {
    expect(faults([{ replace, with: quick }])).toEqual([fault]);
  });

  it("says which task lies between", () => {
    const answer = compile([{ replace: ["search", "report"], with: quick }]);
    expect(answer.ok ? "" : answer.issues[0]?.message).toBe(
      '"report" waits for "review", which waits for "search": replace "review" as well, or only one of the two.',
    );
  });

  it("asks what was meant by a misspelt task", () => {
    const answer = compile([{ replace: ["reveiw"], with: quick }]);
    expect(answer.ok ? "" : answer.issues[0]?.suggestion).toBe("review");
  });

  it.each([
    ["a task of two alternatives", [["search"], ["search"]], "/degrade/1/replace/0 replaced_twice"],
    [
      "alternatives that would wait for each other",
      [["search", "publish"], ["report"]],
      "/degrade/0/replace degrade_not_closed",
    ],
  ])("refuses %s", (_, sets, fault) => {
    const degrade = sets.map((replace, index) => ({
      replace,
      with: { ...quick, id: `q${index}` },
    }));
    expect(faults(degrade)).toContain(fault);
  });

  it("refuses two closed alternatives that wait for each other through nobody else", () => {
    const crossed = [
      { id: "a", agent: "a" },
      { id: "b", agent: "a", dependsOn: ["a"] },
      { id: "c", agent: "a" },
      { id: "d", agent: "a", dependsOn: ["c"] },
    ];
    const degrade = [
      { replace: ["a", "d"], with: { ...quick, id: "q0" } },
      { replace: ["b", "c"], with: { ...quick, id: "q1" } },
    ];
    expect(faults(degrade, { tasks: crossed })).toEqual(["/degrade degrade_not_closed"]);
    expect(faults(degrade.slice(0, 1), { tasks: crossed })).toEqual([]);
  });

  it.each([
    ["an id that a task has, in other case", { id: "Plan" }, "/degrade/0/with/id duplicate_id"],
    ["a reserved id", { id: "run" }, "/degrade/0/with/id name_reserved"],
    ["an unknown agent", { agent: "b" }, "/degrade/0/with/agent unknown_agent"],
    ["dependencies of its own", { dependsOn: ["plan"] }, "/degrade/0/with/dependsOn unknown_key"],
    ["a fan-out", { forEach: { items: [1] } }, "/degrade/0/with/forEach unknown_key"],
    ["a broken expression", { input: "${{ 1 + }}" }, "/degrade/0/with/input expression_invalid"],
    [
      "a task that comes after",
      { input: "${{ tasks.publish.output }}" },
      "/degrade/0/with/input unknown_reference",
    ],
    [
      "a task beside",
      { input: "${{ tasks.translate.output }}" },
      "/degrade/0/with/input unknown_reference",
    ],
  ])("refuses a task in their place with %s", (_, change, fault) => {
    expect(faults([{ replace: ["search"], with: { ...quick, ...change } }])).toEqual([fault]);
  });

  it("lets it read what it replaces and what comes before that", () => {
    const input = [
      "${{ tasks.search.output }}",
      "${{ tasks.review.output }}",
      "${{ tasks.plan.output }}",
    ];
    expect(faults([{ replace: ["search", "review"], with: { ...quick, input } }])).toEqual([]);
  });

  it("nobody else can name it: it answers under the ids it replaces", () => {
    const degrade = [{ replace: ["report"], with: quick }];
    expect(faults(degrade, { output: "${{ tasks.quick.output }}" })).toEqual([
      "/output unknown_task",
    ]);
    expect(faults(degrade, { output: "${{ tasks.report.output }}" })).toEqual([]);
  });

  it.each([
    [{}, "nothing"],
    [{ onExceeded: "degrade" }, "ladder"],
    [{ onExceeded: "fail", onTrip: "cache" }, "cache"],
    [{ onExceeded: "degrade", onTrip: "nothing" }, "nothing"],
  ])("[BU-9] a budget of %j keeps its credit for: %s", (budget, onTrip) => {
    const answer = compile([], { budget });
    if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
    const { workflow } = answer;
    expect([workflow.budget.onTrip, workflow.tasks[0]?.budget.onTrip]).toEqual([onTrip, onTrip]);
  });
});
