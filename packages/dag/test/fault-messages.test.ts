import { compileWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const a = { id: "a", agent: "x" };

/** `pointer: message (suggestion)` of every fault. */
function told(
  tasks: unknown,
  fields: object = {},
  options: Parameters<typeof compileWorkflow>[1] = {},
): readonly string[] {
  const answer = compileWorkflow({ name: "w", tasks, ...fields }, options);
  if (answer.ok) return [];
  return answer.issues.map(({ pointer, message, suggestion }) =>
    suggestion === undefined ? `${pointer}: ${message}` : `${pointer}: ${message} (${suggestion})`,
  );
}

describe("[S2] what the author of a workflow is told, word by word", () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      "agent and prompt in one task",
      [{ ...a, llm: { model: "m", prompt: "p" } }],
      ["/tasks/0: A task has an agent or an llm prompt, not both."],
    ],
    ["neither", [{ id: "a" }], ["/tasks/0: A task needs an agent, or an llm prompt."]],
    [
      "an input beside a prompt",
      [{ id: "a", llm: { model: "m", prompt: "p" }, input: { x: 1 } }],
      ["/tasks/0/input: input has no meaning in an llm task: the prompt is its input."],
    ],
    [
      "concurrency without a fan-out",
      [{ ...a, concurrency: { limit: 2 } }],
      ["/tasks/0/concurrency: concurrency has no meaning without forEach."],
    ],
    ["an id used twice", [a, a], ['/tasks/1/id: The task id "a" is used at /tasks/0.']],
    [
      "ids that differ in case only",
      [a, { ...a, id: "A" }],
      ['/tasks/1/id: The task id "A" differs only in case from "a" at /tasks/0.'],
    ],
    ["a reserved id", [{ ...a, id: "run" }], ['/tasks/0/id: "run" cannot be a task\'s id.']],
    [
      "a task that waits for itself",
      [{ ...a, needs: ["a"] }],
      ['/tasks/0/needs/0: Task "a" depends on itself.'],
    ],
    [
      "a task that waits for one that is not there",
      [
        { ...a, id: "search" },
        { ...a, needs: ["serch"] },
      ],
      ['/tasks/1/needs/0: There is no task "serch". (search)'],
    ],
    [
      "two conditions that cannot both come true",
      [a, { ...a, id: "b", needs: [{ task: "a", when: "failed" }, "a"] }],
      ['/tasks/1/needs/1: Task "b" waits for "a" to be both failed and completed.'],
    ],
    [
      "a task that waits for a cycle",
      [
        { ...a, needs: ["b"] },
        { ...a, id: "b", needs: ["a"] },
        { ...a, id: "c", needs: ["b"] },
      ],
      [
        "/tasks/0/dependsOn: These tasks wait for each other: a → b → a.",
        '/tasks/2: Task "c" can never start: it waits for a cycle.',
      ],
    ],
    [
      "a task that reads one it does not wait for",
      [a, { ...a, id: "b", input: "${{ tasks.a.output }}" }],
      [
        '/tasks/1/input: Task "b" reads "a" but does not depend on it, directly or through others. (dependsOn: [a])',
      ],
    ],
    [
      "item outside of a fan-out",
      [{ ...a, input: "${{ item }}" }],
      ['/tasks/0/input: "item" has a value only in the input of a task with forEach.'],
    ],
    [
      "index outside of a fan-out",
      [{ ...a, input: "${{ index }}" }],
      ['/tasks/0/input: "index" has a value only in the input of a task with forEach.'],
    ],
    [
      "a condition that is no expression",
      [{ ...a, if: "yes" }],
      ["/tasks/0/if: if must be one whole expression, such as ${{ input.count > 3 }}."],
    ],
    [
      "items that are no list",
      [{ ...a, forEach: { items: "yes" } }],
      [
        "/tasks/0/forEach/items: forEach.items must be a list, or one whole expression that yields one.",
      ],
    ],
    [
      "an expression in a key, however deep",
      [{ ...a, input: { list: [{ "a/${{ b }}": 1 }] } }],
      [
        "/tasks/0/input/list/0/a~1${{ b }}: Keys are not evaluated; only values may hold expressions.",
      ],
    ],
    [
      "an expression without an end",
      [{ ...a, input: "${{ 1" }],
      ["/tasks/0/input: An expression that begins with ${{ has no end }}."],
    ],
    ["an unknown key", [{ ...a, agnt: 1 }], ['/tasks/0/agnt: Unknown key "agnt". (agent)']],
  ])("%s", (_, tasks, expected) => {
    expect(told(tasks)).toEqual(expected);
  });

  it("agents and models that are not configured, with the one that was probably meant", () => {
    const tasks = [
      { ...a, agent: "wrter" },
      { id: "b", llm: { model: "smal", prompt: "p" } },
      { id: "c", llm: { model: "${{ input.model }}", prompt: "p" } },
      { id: "d", agent: "${{ input.agent }}" },
    ];
    expect(told(tasks, {}, { agents: ["writer"], models: ["small"] })).toEqual([
      '/tasks/0/agent: No agent "wrter" is configured. (writer)',
      '/tasks/1/llm/model: No model "smal" is configured. (small)',
      expect.stringContaining("/tasks/3/agent: "),
    ]);
  });

  it("alternatives: a task that is not there, named twice, or not closed, and ids in use", () => {
    const tasks = [a, { ...a, id: "b", needs: ["a"] }, { ...a, id: "c", needs: ["b"] }];
    const entry = (id: string, ...replace: readonly string[]) => ({
      replace,
      with: { id, agent: "x" },
    });
    expect(told(tasks, { degrade: [entry("q", "d"), entry("r", "a"), entry("s", "a")] })).toEqual([
      '/degrade/0/replace/0: There is no task "d". (a)',
      '/degrade/2/replace/0: Task "a" is replaced at /degrade/1/replace/0 already.',
    ]);
    expect(told(tasks, { degrade: [entry("A", "a"), entry("run", "b"), entry("a", "c")] })).toEqual(
      [
        '/degrade/0/with/id: The task id "A" is used at /tasks/0.',
        '/degrade/1/with/id: "run" cannot be a task\'s id.',
        '/degrade/2/with/id: The task id "a" is used at /tasks/0.',
      ],
    );
    expect(told(tasks, { degrade: [entry("q", "a"), entry("Q", "b")] })).toEqual([
      '/degrade/1/with/id: The task id "Q" is used at /degrade/0/with.',
    ]);
    expect(told(tasks, { degrade: [entry("q", "a", "c")] })).toEqual([
      '/degrade/0/replace: "c" waits for "b", which waits for "a": replace "b" as well, or only one of the two.',
    ]);
  });

  it("alternatives that would wait for each other are told so", () => {
    const tasks = [
      a,
      { ...a, id: "b", needs: ["a"] },
      { ...a, id: "c" },
      { ...a, id: "d", needs: ["c"] },
    ];
    const degrade = [
      { replace: ["a", "d"], with: { id: "q", agent: "x" } },
      { replace: ["b", "c"], with: { id: "r", agent: "x" } },
    ];
    expect(told(tasks, { degrade })).toEqual([
      "/degrade: These alternatives would wait for each other: replace their tasks by one.",
    ]);
  });
});

describe("[B149] what the author of too large a workflow is told", () => {
  it("too deep, a prototype's key, and too large, each with its place or its bounds", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 60; level += 1) deep = { "a/b": deep };
    const place = `/x${"/a~1b".repeat(39)}`;
    expect(told([], { x: deep })).toEqual([`${place}: It is nested deeper than 40.`]);
    expect(told([], JSON.parse('{"x":[{"__proto__":1}]}') as object)).toEqual([
      "/x/0/__proto__: The key __proto__ is not allowed.",
    ]);
  });

  it("too large, by its texts, its keys or its values", () => {
    const large = ": It has more than 500000 values or 4194304 characters.";
    expect(told([], { x: "x".repeat(4_194_305) })).toEqual([large]);
    expect(told([], { ["x".repeat(4_194_305)]: 1 })).toEqual([large]);
    expect(told([], { x: Array.from({ length: 500_000 }, () => 0) })).toEqual([large]);
  });

  it("after 200 faults it is told that there may be more, and none twice", () => {
    const tasks = Array.from({ length: 300 }, (_, index) => ({ ...a, id: `t${index}`, if: "no" }));
    const faults = told(tasks);
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)).toBe(
      ": There may be more faults than these 200; correct them and try again.",
    );
    expect(new Set(faults).size).toBe(201);
  });
});
