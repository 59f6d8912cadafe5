import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LoopDetector } from "../src/index.ts";
import type { LoopCall, LoopFinding, LoopThresholds } from "../src/index.ts";
import { call, times } from "./support/loop-calls.ts";

/** What was said at which call, counted from 1. */
function told(calls: readonly LoopCall[], detector = new LoopDetector()): readonly string[] {
  return calls.flatMap((one, index) => {
    const finding = detector.called(one);
    return finding === undefined ? [] : [`${index + 1}: ${finding.pattern} ${finding.reaction}`];
  });
}

describe("[WD-18] [W9] rows of calls", () => {
  it("the same call with the same result: nudge at the fourth, block at the sixth, stop at the eighth", () => {
    expect(told(times(10, () => call("a", "r")))).toEqual([
      "4: repeat nudge",
      "6: repeat block",
      "8: repeat stop",
    ]);
  });

  it("the same call with errors, whatever they say: three, five, seven", () => {
    const failing = times(8, (index) => call("a", `error ${index}`, { failed: true }));
    expect(told(failing)).toEqual(["3: failing nudge", "5: failing block", "7: failing stop"]);
  });

  it("two calls in turn, each with its own result: three rounds, four, five", () => {
    const turns = times(12, (index) =>
      call(index % 2 === 0 ? "a" : "b", index % 2 === 0 ? "x" : "y"),
    );
    const reactions = told(turns).filter((line) => line.includes("ping_pong"));
    expect(reactions).toEqual(["6: ping_pong nudge", "8: ping_pong block", "10: ping_pong stop"]);
  });

  it("one tool that brings nothing new, whatever it is asked: six, nine, twelve (the article's first scenario)", () => {
    const found = ["x", "y", "z", "w"];
    const calls = times(16, (index) => call(`wording ${index}`, found[(index * 3) % 4] ?? ""));
    expect(told(calls)).toEqual(["10: no_news nudge", "13: no_news block", "16: no_news stop"]);
  });

  it("[B095] rising steps with one outcome are no progress for ever", () => {
    const findings = told(times(13, (index) => call(`step ${index}`, "same")));
    expect(findings.at(-1)).toBe("13: no_news stop");
  });
});

describe("[WD-18] [B097] what is no loop", () => {
  it("the same call twenty times with a changing result", () => {
    expect(told(times(20, (index) => call("status", `${index} %`)))).toEqual([]);
  });

  it("the same call five times, with other work between", () => {
    const work = times(10, (index) =>
      index % 2 === 0
        ? call("test", "red")
        : call(`edit ${index}`, `diff ${index}`, { tool: "edit" }),
    );
    expect(told(work)).toEqual([]);
  });

  it("a declared polling tool, however long nothing changes", () => {
    expect(told(times(300, () => call("job", "pending", { isPolling: true })))).toEqual([]);
  });

  it("a poll that changes breaks a row, one that does not is as if it had not been made", () => {
    const poll = (result: string): LoopCall =>
      call("job", result, { tool: "job", isPolling: true });
    const same = call("a", "r");
    expect(told([same, same, same, poll("1"), same, same, same])).toEqual([]);
    const still = new LoopDetector();
    still.called(poll("1"));
    expect(told([same, poll("1"), same, poll("1"), same, poll("1"), same], still)).toEqual([
      "7: repeat nudge",
    ]);
  });

  it("pages read one after another, retries that succeed, writes that each say ok", () => {
    expect(told(times(60, (page) => call(`page ${page}`, `rows of ${page}`)))).toEqual([]);
    const retried = times(40, (index) =>
      index % 3 === 2 ? call(`get ${index}`, `got ${index}`) : call("get", "503", { failed: true }),
    );
    expect(told(retried)).toEqual([]);
    const writes = times(60, (index) => call(`file ${index}`, "ok", { hasEffect: true }));
    expect(told(writes)).toEqual([]);
    expect(told(times(60, (index) => call(`file ${index}`, "ok")))).not.toEqual([]);
  });
});

describe("[WD-18] blocking", () => {
  function rowOf(count: number): LoopDetector {
    const detector = new LoopDetector();
    for (const one of times(count, () => call("a", "r"))) detector.called(one);
    return detector;
  }

  it("refuses exactly the call that would go on with the row, and stops whoever insists", () => {
    const detector = rowOf(6);
    expect(detector.check(call("a", ""))).toMatchObject({ reaction: "block", pattern: "repeat" });
    expect(detector.check(call("b", ""))).toBeUndefined();
    expect(detector.check(call("a", "", { tool: "other" }))).toBeUndefined();
    const insisting = [detector.blocked(call("a", "")), detector.blocked(call("a", ""))];
    expect(insisting.map((finding) => finding?.reaction)).toEqual([undefined, "stop"]);
  });

  it("is lifted by other work", () => {
    const detector = rowOf(6);
    detector.called(call("b", "news"));
    expect(detector.check(call("a", ""))).toBeUndefined();
  });

  it("in a row without news it is the tool that is refused, in turns the call whose turn it is", () => {
    const detector = new LoopDetector();
    for (const one of times(10, (index) => call(`wording ${index}`, "same"))) detector.called(one);
    expect(detector.check(call("another wording", ""))).toMatchObject({ pattern: "no_news" });
    const turns = new LoopDetector();
    const turn = (index: number): LoopCall =>
      call(`${index % 2}`, `${index % 2}`, { tool: `t${index % 2}` });
    for (const one of times(8, turn)) turns.called(one);
    expect(turns.check(turn(8))).toMatchObject({ pattern: "ping_pong" });
    expect(turns.check(turn(9))).toBeUndefined();
    const insisting = [turns.blocked(turn(8)), turns.blocked(turn(9))];
    expect(insisting.map((finding) => finding?.reaction)).toEqual([undefined, "stop"]);
  });

  it("never refuses a polling tool", () => {
    expect(rowOf(8).check(call("a", "", { isPolling: true }))).toBeUndefined();
  });
});

describe("[WD-18] rows of texts", () => {
  const say = (detector: LoopDetector, count: number, of: (index: number) => object) =>
    Array.from({ length: count }, (_, index) =>
      detector.said({ text: "t", request: "q", ...of(index) }),
    ).map((finding?: LoopFinding) => finding?.reaction);

  it("the same answer to the same question, or in a conversation that holds it: three, five, seven", () => {
    const expected = [undefined, undefined, "nudge", undefined, "block", undefined, "stop"];
    expect(say(new LoopDetector(), 7, () => ({}))).toEqual(expected);
    const longer = (index: number): object => ({ request: `q${index}`, lastAnswer: "t" });
    expect(say(new LoopDetector(), 7, longer)).toEqual(expected);
  });

  it("the same answer to different questions is none: fifty items may all be classified as yes", () => {
    const other = (index: number): object => ({ request: `q${index}` });
    expect(new Set(say(new LoopDetector(), 50, other))).toEqual(new Set([undefined]));
  });

  it("what a tool has newly brought between two of them breaks the row, what it had brought does not", () => {
    const detector = new LoopDetector();
    const reads = (index: number): object => {
      detector.called(call(`page ${index}`, `rows ${index}`));
      return {};
    };
    expect(new Set(say(detector, 20, reads))).toEqual(new Set([undefined]));
    const stuck = (): object => {
      detector.called(call("page 1", "rows 1"));
      return {};
    };
    expect(say(detector, 3, stuck)).toContain("nudge");
  });

  it("a text between two calls does not make a rung be told twice", () => {
    const detector = new LoopDetector();
    const findings = times(5, () => call("a", "r")).map((one, index) => {
      detector.said({ text: `thinking ${index}`, request: "q" });
      return detector.called(one)?.reaction;
    });
    expect(findings).toEqual([undefined, undefined, undefined, "nudge", undefined]);
  });
});

it("[WD-18] what stands is known also after it was told", () => {
  const detector = new LoopDetector();
  for (const one of times(9, () => call("a", "r"))) detector.called(one);
  expect(detector.standing()).toEqual({
    reaction: "stop",
    pattern: "repeat",
    count: 9,
    tool: "search",
  });
  detector.called(call("b", "news"));
  expect(detector.standing()).toBeUndefined();
});

it("[WD-18] calls that always bring something new are never a loop", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 80 }), (calls) => {
      const all = calls.map(([tool, args], index) =>
        call(`${args}`, `new ${index}`, { tool: `t${tool}` }),
      );
      expect(told(all)).toEqual([]);
    }),
  );
});

it("[WD-18] whatever an agent does, whoever ignores blocks is stopped within 25 calls of bringing nothing new by one tool", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2), { minLength: 40, maxLength: 60 }), (args) => {
      const detector = new LoopDetector();
      const found = args.map((one) => {
        const next = call(`${one}`, "nothing");
        const refusal = detector.check(next);
        return (refusal === undefined ? detector.called(next) : detector.blocked(next))?.reaction;
      });
      expect(found.slice(0, 25)).toContain("stop");
    }),
  );
});

it.each([
  [
    { repeat: { nudge: 1, block: 2, stop: 3 } },
    'rungs of "repeat" must be rising whole numbers from 2',
  ],
  [{ text: { nudge: 3, block: 3, stop: 4 } }, "not 3, 3, 4"],
  [{ text: { nudge: 3, block: 3.5, stop: 4 } }, "not 3, 3.5, 4"],
  [{ text: { nudge: Number.NaN, block: 3, stop: 4 } }, "not NaN, 3, 4"],
  [{ failing: { nudge: 3, block: 5, stop: 5000 } }, "to 1000, not 3, 5, 5000"],
  [{ cycle: { nudge: 3, block: 5, stop: 7 } }, 'There is no loop pattern "cycle"'],
])(
  "[WD-18] a threshold that cannot work is refused with its name and value: %j",
  (thresholds, message) => {
    expect(() => new LoopDetector(thresholds as Partial<LoopThresholds>)).toThrow(message);
  },
);
