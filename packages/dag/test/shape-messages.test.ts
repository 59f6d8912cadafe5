import { compileWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const a = { id: "a", agent: "x" };

/** `code pointer: message (suggestion)` of every fault. */
function told(raw: unknown): readonly string[] {
  const answer = compileWorkflow(raw);
  if (answer.ok) return [];
  return answer.issues.map(({ code, pointer, message, suggestion }) => {
    const fault = `${code} ${pointer}: ${message}`;
    return suggestion === undefined ? fault : `${fault} (${suggestion})`;
  });
}

function ofTask(fields: object): readonly string[] {
  return told({ name: "w", tasks: [a, { id: "b", agent: "x", ...fields }] });
}

describe("[S2] what the author of a workflow of the wrong form is told", () => {
  it("what is missing is told apart from what is wrong", () => {
    expect(told({ name: "w", tasks: [{ agent: "x" }] })).toEqual([
      "required /tasks/0/id: Invalid input: expected string, received undefined",
    ]);
    expect(told({ tasks: [a] })).toEqual([
      "required /name: Invalid input: expected string, received undefined",
    ]);
    expect(told({ name: "w", tasks: [{ ...a, id: 3 }] })).toEqual([
      "invalid_value /tasks/0/id: Invalid input: expected string, received number",
    ]);
    expect(told({ name: "w", tasks: 3 })).toEqual([
      "invalid_value /tasks: Invalid input: expected array, received number",
    ]);
    expect(told(null)).toEqual(["invalid_value : Invalid input: expected object, received null"]);
  });

  it("an edge is a name or an object: who wrote an object is told what is wrong within it", () => {
    expect(ofTask({ needs: [{ task: "a", wen: "failed" }] })).toEqual([
      'unknown_key /tasks/1/needs/0/wen: Unknown key "wen". (when)',
    ]);
    expect(ofTask({ needs: [{ task: "a", when: "soon" }] })).toEqual([
      'invalid_value /tasks/1/needs/0/when: Invalid option: expected one of "completed"|"failed"|"always"',
    ]);
    expect(ofTask({ needs: [{ when: "failed" }] })).toEqual([
      "required /tasks/1/needs/0/task: Invalid input: expected string, received undefined",
    ]);
    expect(ofTask({ needs: [{ when: "soon", wen: 1 }] })).toEqual([
      "required /tasks/1/needs/0/task: Invalid input: expected string, received undefined",
      'invalid_value /tasks/1/needs/0/when: Invalid option: expected one of "completed"|"failed"|"always"',
      'unknown_key /tasks/1/needs/0/wen: Unknown key "wen". (when)',
    ]);
  });

  it("who wrote neither is told of both, each once", () => {
    expect(ofTask({ needs: [3] })).toEqual([
      "invalid_value /tasks/1/needs/0: Invalid input: expected string, received number Or: Invalid input: expected object, received number",
    ]);
    expect(ofTask({ budget: { maxUsd: "x" } })).toEqual([
      'invalid_value /tasks/1/budget/maxUsd: Invalid input: expected number, received string Or: Invalid input: expected "unlimited"',
    ]);
    expect(ofTask({ budget: { maxUsd: -1 } })).toEqual([
      "invalid_value /tasks/1/budget/maxUsd: Too small: expected number to be >0",
      "invalid_value /tasks/1/budget/maxUsd: Write US dollars with at most nine decimals.",
    ]);
  });

  it("after two hundred faults it is told that there may be more", () => {
    const tasks = Array.from({ length: 300 }, (_, index) => ({ ...a, id: `t${index}`, if: "no" }));
    expect(told({ name: "w", tasks }).at(-1)).toMatch(/^too_many_issues : There may be more/);
  });

  it("keys are looked for where they stand, however deep", () => {
    expect(ofTask({ retry: { backoff: { tpe: "fixed" } } })).toEqual([
      'unknown_key /tasks/1/retry/backoff/tpe: Unknown key "tpe". (type)',
    ]);
    expect(told({ name: "w", tasks: [a], guards: { breaker: { windowsize: "1s" } } })).toEqual([
      'unknown_key /guards/breaker/windowsize: Unknown key "windowsize". (windowSize)',
    ]);
    expect(
      told({
        name: "w",
        tasks: [a],
        degrade: [{ replace: ["a"], with: { id: "q", agent: "x", inptu: 1, "c/d": 1 } }],
      }),
    ).toEqual([
      'unknown_key /degrade/0/with/inptu: Unknown key "inptu". (input)',
      'unknown_key /degrade/0/with/c~1d: Unknown key "c/d".',
    ]);
  });
});
