import { createExpressions } from "@bridle/expressions";
import type { ExpressionsOptions } from "@bridle/expressions";
import { systemClock } from "@bridle/kernel/system";
import type { Bindings, EvaluationAnswer, Expressions } from "@bridle/ports";
import { afterEach, describe, expect, it } from "vitest";

const opened: Expressions[] = [];

function expressions(options: Partial<ExpressionsOptions> = {}): Expressions {
  const created = createExpressions({ clock: systemClock, ...options });
  opened.push(created);
  return created;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

function codeOf(answer: EvaluationAnswer): string {
  return answer.ok ? "ok" : answer.code;
}

/** A generous time for what must succeed on a busy machine; the tests of the limit itself use the default. */
const patient = { timeoutMs: 10_000 };

const longList = Array.from({ length: 400_000 }, () => 1);

/** Short expressions that would keep a process busy for seconds to hours, each within the limits of the parser. */
const bombs: readonly (readonly [string, string, Bindings])[] = [
  [
    "a list compared with itself for each of its members",
    "${{ size(input.l.filter(x, input.l + input.l == input.m + input.l)) > 0 }}",
    { input: { l: longList.slice(0, 200_000), m: longList.slice(0, 200_000) } },
  ],
  [
    "a list doubled for each of its members",
    "${{ size(input.l.map(x, input.l + input.l)) }}",
    { input: { l: longList } },
  ],
  [
    "a list added to itself sixty times",
    `\${{ size(${Array.from({ length: 60 }, () => "input.l").join(" + ")}) }}`,
    { input: { l: longList } },
  ],
];

describe("[S4] expressions in a thread", () => {
  it("evaluates templates with their bindings, in order", async () => {
    const subject = expressions(patient);
    const answers = await Promise.all(
      [1, 2, 3].map((n) => subject.evaluate({ n: "${{ input.n + 1 }}" }, { input: { n } })),
    );
    expect(answers).toEqual([2, 3, 4].map((n) => ({ ok: true, value: { n } })));
  });

  it("tells an expression that fails from one that is none", async () => {
    const subject = expressions(patient);
    expect(codeOf(await subject.evaluate("${{ input.x }}", { input: {} }))).toBe(
      "expression_failed",
    );
    expect(codeOf(await subject.evaluate("${{ 1 + }}", {}))).toBe("expression_invalid");
  });

  it.each(bombs)("%s is ended, and what waits behind it goes on", async (_, template, bindings) => {
    const subject = expressions();
    const [bomb, behind] = await Promise.all([
      subject.evaluate(template, bindings),
      subject.evaluate("${{ 1 + 1 }}", {}),
    ]);
    // Time or memory, whichever ends first.
    expect(["expression_timeout", "expression_failed"]).toContain(codeOf(bomb));
    expect(behind).toEqual({ ok: true, value: 2 });
  });

  it("the main loop keeps turning while an expression burns", async () => {
    const subject = expressions({ timeoutMs: 300 });
    await subject.evaluate("${{ 1 }}", {});
    const [, template, bindings] = bombs[1] ?? ["", "", {}];
    let turns = 0;
    let burning = true;
    const turn = (): void => {
      turns += 1;
      if (burning) setImmediate(turn);
    };
    setImmediate(turn);
    await subject.evaluate(template, bindings);
    burning = false;
    // A blocked loop would have turned a handful of times: once per message.
    expect(turns).toBeGreaterThan(100);
  });

  it("a thread that runs out of memory fails its own request and no other", async () => {
    const subject = expressions({ timeoutMs: 60_000, memoryMb: 16 });
    const [, template, bindings] = bombs[1] ?? ["", "", {}];
    const [greedy, modest] = await Promise.all([
      subject.evaluate(template, bindings),
      subject.evaluate("${{ 2 }}", {}),
    ]);
    expect(codeOf(greedy)).toBe("expression_failed");
    expect(modest).toEqual({ ok: true, value: 2 });
  });

  it("the time of an expression does not include the thread's loading or the queue", async () => {
    const subject = expressions();
    const many = Array.from({ length: 300 }, (_, n) =>
      subject.evaluate("${{ input.n }}", { input: { n } }),
    );
    const answers = await Promise.all(many);
    expect(answers.map((answer) => (answer.ok ? answer.value : answer.code))).toEqual(
      Array.from({ length: 300 }, (_, n) => n),
    );
  });

  it("bindings beyond the limit, and those that are no JSON, are refused before they are sent", async () => {
    const subject = expressions(patient);
    expect(codeOf(await subject.evaluate("${{ 1 }}", { input: "x".repeat(1_048_577) }))).toBe(
      "expression_failed",
    );
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    expect(codeOf(await subject.evaluate("${{ 1 }}", { input: deep }))).toBe("expression_failed");
    expect(codeOf(await subject.evaluate("${{ 1 }}", { input: 1n }))).toBe("expression_failed");
    expect(codeOf(await subject.evaluate("${{ 1 }}", { input: "x".repeat(1_000_000) }))).toBe("ok");
  });

  it("closing answers what is left and leaves no thread", async () => {
    const threads = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker")
        .length;
    const before = threads();
    const subject = expressions();
    const [, template, bindings] = bombs[1] ?? ["", "", {}];
    const burning = subject.evaluate(template, bindings);
    const waiting = subject.evaluate("${{ 1 }}", {});
    expect(threads()).toBeGreaterThan(before);
    await subject.close();
    expect(codeOf(await burning)).toBe("expression_failed");
    expect(codeOf(await waiting)).toBe("expression_failed");
    expect(threads()).toBe(before);
    expect(codeOf(await subject.evaluate("${{ 1 }}", {}))).toBe("expression_failed");
  });
});
