import { compileWorkflow } from "@bridle/dag";
import type { CompiledWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { checkGraph } from "../src/check-graph.ts";
import { checkSize } from "../src/check-size.ts";
import { IssueList } from "../src/issue-list.ts";

const a = { id: "a", agent: "x" };

function compile(tasks: unknown, fields: object = {}) {
  return compileWorkflow({ name: "w", tasks, ...fields });
}

/** `code pointer` of every fault. */
function faults(tasks: unknown, fields: object = {}): readonly string[] {
  const answer = compile(tasks, fields);
  return answer.ok ? [] : answer.issues.map(({ code, pointer }) => `${code} ${pointer}`);
}

function compiled(tasks: readonly unknown[], fields: object = {}): CompiledWorkflow {
  const answer = compile(tasks, fields);
  if (!answer.ok) throw new Error(JSON.stringify(answer.issues));
  return answer.workflow;
}

describe("[B149] a workflow's bounds", () => {
  it("are 10,000 tasks, and nothing else is looked at beyond", () => {
    const tasks = (count: number) => compile(Array.from({ length: count }, () => 0));
    expect(tasks(10_001)).toEqual({
      ok: false,
      issues: [
        {
          pointer: "/tasks",
          code: "too_many_tasks",
          message: "The workflow has 10001 tasks; 10000 are the limit.",
        },
      ],
    });
    expect(tasks(10_000)).not.toMatchObject({ issues: [{ code: "too_many_tasks" }] });
  });

  const tooLarge = {
    pointer: "",
    code: "too_large",
    message: "It has more than 500000 values or 4194304 characters.",
  };

  it("are 4 Mi characters, of its texts and its keys together", () => {
    const half = "x".repeat(2 * 1_048_576);
    expect(checkSize([half, { [half]: 1 }])).toBeUndefined();
    expect(checkSize([half, { [half]: "x" }])).toEqual(tooLarge);
    expect(checkSize([half, { [half]: 1, y: 1 }])).toEqual(tooLarge);
    expect(checkSize([half, half, [[]], "x"])).toEqual(tooLarge);
  });

  it("are 500,000 values", () => {
    // Each list is looked at by itself, but its members are counted together.
    const zeros = Array.from({ length: 249_999 }, () => 0);
    expect(checkSize([zeros, zeros.slice(1)])).toBeUndefined();
    expect(checkSize([zeros, zeros])).toEqual(tooLarge);
  });

  it("are 100,000 edges, however many of them are the same", () => {
    const told = (count: number) => {
      const issues = new IssueList();
      const edge = { task: "a", when: "completed", pointer: "/tasks/1/needs/0" } as const;
      const task = { index: 0, pointer: "/tasks/0", id: "a", edges: [], raw: a };
      const edges = Array.from({ length: count }, () => edge);
      checkGraph([task, { ...task, index: 1, pointer: "/tasks/1", id: "b", edges }], issues);
      return issues.all;
    };
    expect(told(100_000)).toEqual([]);
    expect(told(100_001)).toEqual([
      {
        pointer: "/tasks",
        code: "too_many_edges",
        message: "The tasks have 100001 dependencies; 100000 are the limit.",
      },
    ]);
  });
});

describe("[S2] a fault is told once, where it is", () => {
  it("ids that are missing are not the same id", () => {
    expect(faults([{ agent: "x" }, { agent: "x" }])).toEqual([
      "required /tasks/0/id",
      "required /tasks/1/id",
    ]);
    const alternative = { replace: ["a"], with: { agent: "x" } };
    const other = { replace: ["b"], with: { agent: "x" } };
    const tasks = [a, { ...a, id: "b" }];
    expect(faults(tasks, { degrade: [alternative, other] })).toEqual([
      "required /degrade/0/with/id",
      "required /degrade/1/with/id",
    ]);
  });

  it("of two tasks of one name the first one's edges count", () => {
    expect(faults([{ ...a, needs: ["zz"] }, a])).toEqual([
      "duplicate_id /tasks/1/id",
      "unknown_task /tasks/0/needs/0",
    ]);
  });

  it("a long cycle is shown by its first twenty, from where it begins", () => {
    const ring = (length: number) =>
      Array.from({ length }, (_, index) => ({
        id: `t${index}`,
        agent: "x",
        needs: [`t${(index + 1) % length}`],
      }));
    const message = (tasks: readonly unknown[]): unknown => {
      const answer = compile(tasks);
      return answer.ok ? undefined : answer.issues[0]?.message;
    };
    const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`);
    expect(message(ring(20))).toBe(
      `These tasks wait for each other: ${[...names(20), "t0"].join(" → ")}.`,
    );
    expect(message(ring(21))).toBe(
      `These tasks wait for each other: ${[...names(20), "…", "t0"].join(" → ")}.`,
    );
    // Who only waits for the cycle is no part of it.
    expect(message([{ id: "z", agent: "x", needs: ["t0"] }, ...ring(2)])).toBe(
      "These tasks wait for each other: t0 → t1 → t0.",
    );
  });

  it.each<[string, unknown, readonly string[]]>([
    ["null", null, ["invalid_value /tasks/0/needs/0"]],
    ["a task that is a number", { task: 3 }, ["invalid_value /tasks/0/needs/0/task"]],
    [
      "of a condition that is none",
      { task: "b", when: "soon" },
      ["invalid_value /tasks/0/needs/0/when"],
    ],
  ])("an edge that is %s breaks nothing", (_, edge, expected) => {
    expect(
      faults([
        { ...a, needs: [edge, "b"] },
        { ...a, id: "b" },
      ]),
    ).toEqual(expected);
  });

  it("item has no value in a condition, nor in the output", () => {
    const forEach = { items: "${{ input.list }}" };
    expect(faults([{ ...a, forEach, if: "${{ item }}" }])).toEqual([
      "unknown_reference /tasks/0/if",
    ]);
    expect(faults([{ ...a, forEach }], { output: "${{ index }}" })).toEqual([
      "unknown_reference /output",
    ]);
  });

  it("a condition that is no text is of the wrong form, and no expression", () => {
    expect(faults([{ ...a, if: 3 }])).toEqual([
      "invalid_value /tasks/0/if",
      "expression_invalid /tasks/0/if",
    ]);
  });

  it("every task that reads what it does not wait for is told, not only one", () => {
    const reading = (id: string) => ({ id, agent: "x", input: "${{ tasks.a.output }}" });
    expect(faults([a, reading("b"), reading("c")])).toEqual([
      "unknown_reference /tasks/1/input",
      "unknown_reference /tasks/2/input",
    ]);
  });

  it("who reads the forty-first task is not taken for who reads the tenth", () => {
    const sources = Array.from({ length: 40 }, (_, index) => ({ id: `t${index}`, agent: "x" }));
    const all = { id: "all", agent: "x", needs: sources.map(({ id }) => id) };
    const first = { id: "first", agent: "x", needs: ["t0"] };
    const readAll = sources.map(({ id }) => `\${{ tasks.${id}.output }}`);
    const far = { id: "far", agent: "x", needs: ["all"], input: readAll };
    const near = { id: "near", agent: "x", needs: ["first"], input: "${{ tasks.t32.output }}" };
    expect(faults([...sources, all, first, far, near])).toEqual([
      "unknown_reference /tasks/43/input",
    ]);
  });
});

describe("[S1] what a compiled task says", () => {
  it("how much may be spawned, as stated, else as usual", () => {
    const caps = (spawn: object) => compiled([a], { spawn }).spawn;
    expect(caps({ maxDepth: 2, maxPerTask: 3, maxPerRun: 4, maxLive: 5 })).toEqual({
      maxDepth: 2,
      maxPerTask: 3,
      maxPerRun: 4,
      maxLive: 5,
    });
    expect(caps({})).toEqual({ maxDepth: 3, maxPerTask: 20, maxPerRun: 200, maxLive: 50 });
  });

  it("its condition, when it has one", () => {
    const [one, two] = compiled([
      { ...a, if: "${{ input.go }}" },
      { ...a, id: "b" },
    ]).tasks;
    expect(one).toMatchObject({ if: "${{ input.go }}", hasExpressions: true });
    expect(two).not.toHaveProperty("if");
    expect(Object.keys(compiled([a]))).toEqual([
      "format",
      "name",
      "version",
      "tasks",
      "budget",
      "onExceeded",
      "runTimeoutMs",
      "onFailure",
    ]);
  });

  it("whether there is anything in it to evaluate", () => {
    const has = (input: unknown) => compiled([{ ...a, input }]).tasks[0]?.hasExpressions;
    expect(has({ x: ["plain", null, 1] })).toBe(false);
    expect(has({ x: ["plain", null, "${{ 1 }}"] })).toBe(true);
  });

  it("its own timeouts, else the workflow's, else the default and an adaptive step", () => {
    const timeouts = (task: object, fields: object) =>
      compiled([{ ...a, ...task }], fields).tasks[0]?.timeout;
    const own = { timeout: { step: "1s", task: "2s" } };
    const general = { timeout: { step: "3s", task: "4s", run: "5s" } };
    expect(timeouts(own, general)).toEqual({ stepMs: 1000, taskMs: 2000 });
    expect(timeouts({}, general)).toEqual({ stepMs: 3000, taskMs: 4000 });
    expect(timeouts({ timeout: { step: "1s" } }, general)).toEqual({ stepMs: 1000, taskMs: 4000 });
    expect(Object.entries(timeouts({}, {}) ?? {})).toEqual([["taskMs", 600_000]]);
  });
});
