import { compileWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

function task(id: string, ...needs: readonly string[]) {
  return { id, agent: "x", needs };
}

function entry(id: string, ...replace: readonly string[]) {
  return { replace, with: { id, agent: "x" } };
}

/** `code pointer` of every fault. */
function faults(tasks: readonly unknown[], degrade: unknown): readonly string[] {
  const answer = compileWorkflow({ name: "w", tasks, degrade });
  return answer.ok ? [] : answer.issues.map(({ code, pointer }) => `${code} ${pointer}`);
}

describe("[BU-19] alternatives of the wrong form are told as such, and break nothing", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["no list", {}, ["invalid_value /degrade"]],
    ["nothing", [null], ["invalid_value /degrade/0"]],
    ["a list in the list", [[entry("q", "a")]], ["invalid_value /degrade/0"]],
    ["nothing instead", [{ replace: ["a"], with: null }], ["invalid_value /degrade/0/with"]],
    [
      "a number for an id",
      [{ replace: ["a"], with: { id: 3, agent: "x" } }],
      ["invalid_value /degrade/0/with/id"],
    ],
    [
      "a number for a task",
      [{ replace: [3], with: { id: "q", agent: "x" } }],
      ["invalid_value /degrade/0/replace/0"],
    ],
    [
      "a name for a list",
      [{ replace: "a", with: { id: "q", agent: "x" } }],
      ["invalid_value /degrade/0/replace"],
    ],
  ])("%s", (_, degrade, expected) => {
    expect(faults([task("a")], degrade)).toEqual(expected);
  });
});

describe("[BU-19] alternatives may not wait for each other", () => {
  const notClosed = "degrade_not_closed";

  it("two that wait for one task, and one within which tasks wait, do not", () => {
    const fork = [task("a"), task("b", "a"), task("c", "a")];
    expect(faults(fork, [entry("q", "b"), entry("r", "c")])).toEqual([]);
    const chain = [task("a"), task("b", "a"), task("c", "b")];
    expect(faults(chain, [entry("q", "a", "b"), entry("r", "c")])).toEqual([]);
  });

  it("two that do are told so, also after a task that waits for nobody", () => {
    const tasks = [task("z"), task("a", "z"), task("b", "a"), task("c", "z"), task("d", "c")];
    expect(faults(tasks, [entry("q", "a", "d"), entry("r", "b", "c")])).toEqual([
      `${notClosed} /degrade`,
    ]);
  });

  it("one that is not closed is told once, and not as a circle as well", () => {
    const tasks = [task("a"), task("b", "a"), task("c", "b"), task("d")];
    expect(faults(tasks, [entry("q", "a", "c"), entry("r", "d")])).toEqual([
      `${notClosed} /degrade/0/replace`,
    ]);
    expect(faults(tasks, [entry("q", "a", "c"), entry("r", "b")])).toEqual([
      `${notClosed} /degrade/0/replace`,
    ]);
  });

  it("a circle of the tasks themselves is told as that alone", () => {
    const tasks = [task("a", "b"), task("b", "a"), task("c"), task("d")];
    expect(faults(tasks, [entry("q", "c"), entry("r", "d")])).toEqual(["cycle /tasks/0/dependsOn"]);
  });
});
