import { compileWorkflow } from "@bridle/dag";
import { describe, expect, it } from "vitest";

const a = { id: "a", agent: "x" };

function compile(tasks: readonly unknown[]) {
  return compileWorkflow({ name: "w", tasks });
}

/** `code pointer` of every fault. */
function faults(tasks: readonly unknown[]): readonly string[] {
  const answer = compile(tasks);
  return answer.ok ? [] : answer.issues.map(({ code, pointer }) => `${code} ${pointer}`);
}

describe("[B149] large workflows", () => {
  const layered = (layers: number, wide: number) =>
    Array.from({ length: layers * wide }, (_, index) => ({
      id: `t${index}`,
      agent: "x",
      needs:
        index < wide
          ? []
          : Array.from(
              { length: wide },
              (__, column) => `t${(Math.floor(index / wide) - 1) * wide + column}`,
            ),
    }));
  const chain = (length: number, read: (index: number) => number) =>
    Array.from({ length }, (_, index) => ({
      id: `t${index}`,
      agent: "x",
      needs: index === 0 ? [] : [`t${index - 1}`],
      ...(index === 0 ? {} : { input: `\${{ tasks.t${read(index)}.output }}` }),
    }));

  it("[B149] 500 tasks in full layers, 10,000 in a chain and 5,000 into one compile without overflow", () => {
    expect(faults(layered(50, 10))).toEqual([]);
    expect(faults(chain(10_000, (index) => index - 1))).toEqual([]);
    const fan = Array.from({ length: 5000 }, (_, index) => ({ id: `f${index}`, agent: "x" }));
    expect(faults([...fan, { id: "join", agent: "x", needs: fan.map(({ id }) => id) }])).toEqual(
      [],
    );
  });

  it("[B149] a chain whose tasks all read the first, or each another, is no harder", () => {
    expect(faults(chain(10_000, () => 0))).toEqual([]);
    expect(faults(chain(10_000, (index) => Math.floor(index / 2)))).toEqual([]);
  });

  it("[B149] beyond the limits it is refused", () => {
    expect(
      faults(Array.from({ length: 10_001 }, (_, index) => ({ id: `t${index}`, agent: "x" }))),
    ).toEqual(["too_many_tasks /tasks"]);
    expect(faults(layered(11, 100))).toEqual([]);
    expect(faults(layered(12, 100))).toEqual(["too_many_edges /tasks"]);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    expect(faults([{ ...a, input: deep }])[0]).toMatch(/^too_deep /);
  });

  it("a cycle through 10,000 tasks is found and its path cut short", () => {
    const tasks = chain(10_000, (index) => index - 1);
    const answer = compile([{ ...tasks[0], needs: ["t9999"] }, ...tasks.slice(1)]);
    const found = answer.ok ? [] : answer.issues;
    expect(found.map(({ code }) => code)).toEqual(["cycle"]);
    expect(found[0]?.message.length).toBeLessThan(400);
  });

  it("no more than some hundred faults are listed", () => {
    const answer = compile(
      Array.from({ length: 5000 }, (_, index) => ({
        id: `t${index}`,
        agent: "x",
        needs: ["nope"],
      })),
    );
    expect(answer.ok ? 0 : answer.issues.length).toBeLessThan(300);
  });
});
