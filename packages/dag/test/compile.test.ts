import { compileWorkflow } from "@bridle/dag";
import type { CompiledWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

function compile(tasks: readonly unknown[], fields: object = {}, options = {}) {
  return compileWorkflow({ name: "w", tasks, ...fields }, options);
}

/** `code pointer` of every fault. */
function faults(tasks: readonly unknown[], fields: object = {}, options = {}): readonly string[] {
  const answer = compile(tasks, fields, options);
  return answer.ok ? [] : answer.issues.map(({ code, pointer }) => `${code} ${pointer}`);
}

function compiled(tasks: readonly unknown[], fields: object = {}): CompiledWorkflow {
  const answer = compile(tasks, fields);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  return answer.workflow;
}

const a = { id: "a", agent: "x" };

describe("[S1] [S2] compiling a workflow", () => {
  it("[S1] fills in every default and puts each task after what it waits for", () => {
    const most = Number.MAX_SAFE_INTEGER;
    const workflow = compiled([{ id: "b", agent: "y", needs: ["a"] }, a]);
    expect(workflow.tasks.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(workflow).toMatchObject({
      format: 1,
      version: 1,
      onFailure: "fail_fast",
      onExceeded: "fail",
      runTimeoutMs: 3_600_000,
      budget: {
        limit: { tokens: 1_000_000, nanoUsd: 5_000_000_000, calls: 400 },
        onTrip: "nothing",
        creditMode: "credit",
      },
    });
    expect(workflow.tasks[0]).toEqual({
      id: "a",
      agent: "x",
      dependsOn: [],
      input: {},
      hasExpressions: false,
      retry: {
        maxAttempts: 3,
        backoff: { type: "exponential", initial: 2000, max: 60_000 },
        nonRetryable: [],
      },
      timeout: { taskMs: 600_000 },
      budget: { ...workflow.budget, limit: { tokens: most, nanoUsd: most, calls: most } },
      priority: "foreground",
      allowModelFallback: true,
    });
  });

  it("[BU-4] a limit that a task does not state is none of its own: the run's envelope bounds it", () => {
    const workflow = compiled([{ ...a, budget: { maxUsd: 0.25 } }], {
      budget: { maxTokens: 10, maxCalls: 3 },
    });
    expect(workflow.tasks[0]?.budget.limit).toEqual({
      tokens: Number.MAX_SAFE_INTEGER,
      nanoUsd: 250_000_000,
      calls: Number.MAX_SAFE_INTEGER,
    });
  });

  it("an llm task's prompt is its input", () => {
    const workflow = compiled([
      { id: "t", llm: { model: "small", prompt: "Hi ${{ input.name }}" } },
    ]);
    expect(workflow.tasks[0]).toMatchObject({
      agent: "llm",
      input: { model: "small", prompt: "Hi ${{ input.name }}" },
      hasExpressions: true,
    });
  });

  it("[S2] names every fault of form, name, graph and expression at once", () => {
    expect(
      faults(
        [
          { id: "a", agnet: "x" },
          { id: "b", agent: "wrter", dependsOn: ["aa"], timeout: { task: 90 } },
          { id: "c", agent: "writer", llm: { model: "smal", prompt: "${{ 1 + }}" } },
          { id: "d", agent: "writer", dependsOn: ["d"], input: { x: "${{ tasks.b.output }}" } },
        ],
        { budgt: {} },
        { agents: ["writer"], models: ["small"] },
      ).toSorted(),
    ).toEqual([
      "agent_or_llm /tasks/0",
      "agent_or_llm /tasks/2",
      "expression_invalid /tasks/2/llm/prompt",
      "invalid_value /tasks/1/timeout/task",
      "self_dependency /tasks/3/dependsOn/0",
      "unknown_agent /tasks/1/agent",
      "unknown_key /budgt",
      "unknown_key /tasks/0/agnet",
      "unknown_model /tasks/2/llm/model",
      "unknown_reference /tasks/3/input/x",
      "unknown_task /tasks/1/dependsOn/0",
    ]);
  });

  it.each([
    ["unknown_key", [{ ...a, agnet: 1 }], "agent"],
    ["unknown_key", [{ ...a, retry: { maxAtempts: 1 } }], "maxAttempts"],
    [
      "unknown_task",
      [
        { id: "search", agent: "x" },
        { ...a, needs: ["serach"] },
      ],
      "search",
    ],
  ])(
    "[S2] %s says what was probably meant, beside the message and not in it",
    (code, tasks, suggestion) => {
      const answer = compile(tasks);
      expect(answer.ok ? [] : answer.issues).toContainEqual(
        expect.objectContaining({ code, suggestion, message: expect.not.stringMatching(/mean/i) }),
      );
    },
  );

  it("a workflow's breaker settings are kept, or refused at their place", () => {
    const breaker = { consecutiveFailures: 2, windowSize: "30s" };
    expect(compiled([a], { guards: { breaker } }).breaker).toEqual({
      consecutiveFailures: 2,
      windowSize: 30_000,
    });
    const wrong = { consecutiveFailures: 0, windowSize: "1500ms", budgetBurnRate: 1 };
    expect(faults([a], { guards: { breaker: wrong } }).toSorted()).toEqual([
      "invalid_value /guards/breaker/budgetBurnRate",
      "invalid_value /guards/breaker/consecutiveFailures",
      "invalid_value /guards/breaker/windowSize",
    ]);
  });

  it("a duration without a unit is refused at its place", () => {
    expect(faults([a], { timeout: { run: 60 } })).toEqual(["invalid_value /timeout/run"]);
    expect(faults([a], { timeout: { run: "60" } })).toEqual(["invalid_value /timeout/run"]);
    expect(faults([a], { timeout: { run: "60s" } })).toEqual([]);
  });

  it.each([
    ["duplicate ids", [a, { ...a }], ["duplicate_id /tasks/1/id"]],
    ["ids that differ in case only", [a, { id: "A", agent: "x" }], ["duplicate_id /tasks/1/id"]],
    ["ids with blanks", [{ id: "a ", agent: "x" }], ["invalid_value /tasks/0/id"]],
    [
      "a task that depends on itself",
      [{ ...a, needs: ["a"] }],
      ["self_dependency /tasks/0/needs/0"],
    ],
    ["an unknown dependency", [{ ...a, needs: ["zz"] }], ["unknown_task /tasks/0/needs/0"]],
    ["no tasks", [], ["invalid_value /tasks"]],
    [
      "a task awaited both ways",
      [a, { id: "b", agent: "x", needs: ["a", { task: "a", when: "failed" }] }],
      ["impossible_task /tasks/1/needs/1"],
    ],
  ])("[B148] %s: refused", (_, tasks, expected) => {
    expect(faults(tasks)).toEqual(expected);
  });

  it("[B148] the same edge twice, also once as needs and once as dependsOn, is one edge", () => {
    const workflow = compiled([a, { id: "b", agent: "x", dependsOn: ["a", "a"], needs: ["a"] }]);
    expect(workflow.tasks[1]?.dependsOn).toEqual([{ task: "a", when: "completed" }]);
  });

  it("[B148] a cycle is named by its path, and what waits for it is unreachable", () => {
    const task = (id: string, needs: readonly string[]) => ({ id, agent: "x", needs });
    const answer = compile([
      task("a", ["c"]),
      task("b", ["a"]),
      task("c", ["b"]),
      task("d", ["c"]),
      task("e", []),
    ]);
    expect(answer.ok ? [] : answer.issues).toEqual([
      expect.objectContaining({
        code: "cycle",
        message: "These tasks wait for each other: a → c → b → a.",
      }),
      expect.objectContaining({ code: "unreachable_task", pointer: "/tasks/3" }),
    ]);
  });

  it.each(["constructor", "toString", "valueOf", "hasOwnProperty", "run"])(
    "[B196] a task called %s is refused",
    (id) => {
      expect(faults([{ id, agent: "x" }])).toEqual(["name_reserved /tasks/0/id"]);
    },
  );

  it("[B196] a __proto__ key is refused and pollutes nothing", () => {
    const raw: unknown = JSON.parse(
      '{"name":"w","tasks":[{"id":"a","agent":"x","input":{"__proto__":{"polluted":1}}}]}',
    );
    const answer = compileWorkflow(raw);
    expect(answer.ok ? [] : answer.issues.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["name_reserved", "/tasks/0/input/__proto__"],
    ]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("whatever it is given, it answers with faults and throws nothing", () => {
    const cyclic: Record<string, unknown> = { name: "w" };
    cyclic["tasks"] = [cyclic];
    for (const raw of [
      undefined,
      null,
      1,
      "x",
      [],
      {},
      { tasks: [null, 1, { needs: 1 }, { needs: [1, {}] }] },
      cyclic,
    ]) {
      expect(compileWorkflow(raw).ok).toBe(false);
    }
  });

  it("fields without a meaning where they stand are named", () => {
    expect(faults([{ ...a, concurrency: { limit: 2 } }])).toEqual([
      "misplaced_key /tasks/0/concurrency",
    ]);
  });
});

describe("expressions in a workflow", () => {
  it.each([
    ["a bad expression", { if: "${{ 1 + }}" }, "expression_invalid /tasks/1/if"],
    ["an if that is no expression", { if: "input.x > 3" }, "expression_invalid /tasks/1/if"],
    ["an if with text around", { if: "x ${{ true }}" }, "expression_invalid /tasks/1/if"],
    [
      "items that are no list",
      { forEach: { items: "abc" } },
      "expression_invalid /tasks/1/forEach/items",
    ],
    ["an unknown task", { input: "${{ tasks.zz.output }}" }, "unknown_task /tasks/1/input"],
    [
      "a task it does not wait for",
      { input: { x: ["${{ tasks.other.output }}"] } },
      "unknown_reference /tasks/1/input/x/0",
    ],
    ["itself", { input: "${{ tasks.b.status }}" }, "unknown_reference /tasks/1/input"],
    ["item without forEach", { input: "${{ item }}" }, "unknown_reference /tasks/1/input"],
    [
      "item in its own list",
      { forEach: { items: "${{ item }}" } },
      "unknown_reference /tasks/1/forEach/items",
    ],
    [
      "an expression in a key",
      { input: { "${{ input.x }}": 1 } },
      "expression_in_key /tasks/1/input/${{ input.x }}",
    ],
    ["an unknown name", { input: "${{ secrets.x }}" }, "expression_invalid /tasks/1/input"],
  ])("%s is refused with its pointer", (_, fields, expected) => {
    const tasks = [
      a,
      { id: "b", agent: "x", needs: ["a"], ...fields },
      { id: "other", agent: "x" },
    ];
    expect(faults(tasks)).toEqual([expected]);
  });

  it("a task may read what it waits for, also through others, and the output may read all", () => {
    const tasks = [
      a,
      { id: "b", agent: "x", needs: ["a"] },
      {
        id: "c",
        agent: "x",
        needs: ["b"],
        input: "${{ tasks.a.output }}",
        if: "${{ tasks.b.status == 'COMPLETED' }}",
      },
    ];
    expect(faults(tasks, { output: "${{ tasks.a.output }}" })).toEqual([]);
    expect(faults(tasks, { output: "${{ tasks.z.output }}" })).toEqual(["unknown_task /output"]);
  });
});
