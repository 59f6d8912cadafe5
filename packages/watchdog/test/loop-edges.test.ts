import { describe, expect, it } from "vitest";

import { LoopDetector } from "../src/index.ts";
import type { LoopCall } from "../src/index.ts";
import { call, times } from "./support/loop-calls.ts";

/** Reactions to each call, as `pattern reaction`. */
function told(detector: LoopDetector, calls: readonly LoopCall[]): readonly string[] {
  return calls.flatMap((one) => {
    const finding = detector.called(one);
    return finding === undefined ? [] : [`${finding.pattern} ${finding.reaction}`];
  });
}

const never = { nudge: 998, block: 999, stop: 1000 };

describe("[WD-18] nothing is nothing", () => {
  it("an attempt that has called nothing stands in no row and is refused nothing", () => {
    const detector = new LoopDetector();

    expect(detector.standing()).toBeUndefined();
    expect(detector.check(call("a", ""))).toBeUndefined();
    expect(detector.blocked(call("a", ""))).toBeUndefined();
  });

  it("other calls that fail, and the same call that succeeds in the end, are no failing row", () => {
    const others = times(9, (index) => call(`${index}`, `error ${index}`, { failed: true }));
    expect(told(new LoopDetector(), others)).toEqual([]);
    const error = (text: string): LoopCall => call("a", text, { failed: true });

    expect(told(new LoopDetector(), [error("1"), error("2"), call("a", "rows")])).toEqual([]);
  });

  it("an answer that reads like an error before it is not the same result", () => {
    const same = (failed: boolean): LoopCall => call("a", "text", { failed });

    expect(told(new LoopDetector(), [false, false, true, false].map(same))).toEqual([]);
  });

  it("a tool that brings nothing new begins its own row, whatever another did before it", () => {
    const other = (index: number): LoopCall => call(`${index}`, "known", { tool: "other" });
    const detector = new LoopDetector();
    told(detector, [other(0), ...times(6, (index) => call(`${index}`, "known"))]);

    expect(
      told(
        detector,
        times(5, (index) => other(index + 1)),
      ),
    ).toEqual([]);
  });
});

describe("[WD-18] a row that goes on", () => {
  it("tells a rung of another pattern although one of the same height was just told", () => {
    const rungs = { nudge: 2, block: 50, stop: 60 };
    const detector = new LoopDetector({ repeat: rungs, no_news: { ...rungs } });

    expect(told(detector, [call("a", "r"), call("a", "r"), call("b", "r")])).toEqual([
      "repeat nudge",
      "no_news nudge",
    ]);
  });

  it("is made longer by insisting on the refused call, and by no other", () => {
    const failing = new LoopDetector();
    told(
      failing,
      times(5, (index) => call("a", `error ${index}`, { failed: true })),
    );
    expect(failing.blocked(call("b", ""))).toBeUndefined();
    expect(failing.blocked(call("a", ""))).toBeUndefined();
    expect(failing.blocked(call("a", ""))).toMatchObject({ reaction: "stop", pattern: "failing" });

    const stale = new LoopDetector();
    told(
      stale,
      times(10, (index) => call(`${index}`, "same")),
    );
    for (let asked = 0; asked < 5; asked += 1) {
      expect(stale.blocked(call("x", "", { tool: "other" }))).toBeUndefined();
    }
    expect(stale.check(call("x", "", { tool: "other" }))).toBeUndefined();
    expect(stale.check(call("x", ""))).toMatchObject({ pattern: "no_news" });
  });

  it("of calls that came out well does not become one of failures by insisting", () => {
    const detector = new LoopDetector({ repeat: never, no_news: never });
    detector.called(call("a", "r"));

    for (let asked = 0; asked < 20; asked += 1) {
      expect(detector.blocked(call("a", ""))).toBeUndefined();
    }
  });

  it("of other calls is not made longer by asking for a call that is in none", () => {
    const detector = new LoopDetector({ no_news: never });
    told(
      detector,
      times(6, () => call("a", "r")),
    );

    for (let asked = 0; asked < 5; asked += 1) detector.blocked(call("b", ""));

    expect(detector.standing()).toMatchObject({ reaction: "block", pattern: "repeat", count: 6 });
  });
});

describe("[WD-18] rows of texts", () => {
  const say = (detector: LoopDetector, text = "t") => detector.said({ text, request: "q" });

  it("stand by themselves, and name no tool", () => {
    const detector = new LoopDetector();
    detector.called(call("a", "r"));
    for (let said = 0; said < 3; said += 1) say(detector);

    expect(detector.standing()).toStrictEqual({ reaction: "nudge", pattern: "text", count: 3 });
  });

  it("are of one text: other answers to the same question are none", () => {
    const detector = new LoopDetector();

    for (let said = 0; said < 20; said += 1) expect(say(detector, `${said}`)).toBeUndefined();
  });

  it("are broken by a poll that changed, and not by one that did not", () => {
    const poll = (result: string): LoopCall => call("job", result, { isPolling: true });
    const still = new LoopDetector();
    still.called(poll("pending"));
    const reactions = [0, 1, 2].map(() => {
      still.called(poll("pending"));
      return say(still)?.reaction;
    });
    expect(reactions).toEqual([undefined, undefined, "nudge"]);

    const moving = new LoopDetector();
    for (let said = 0; said < 9; said += 1) {
      moving.called(poll(`${said} %`));
      expect(say(moving)).toBeUndefined();
    }
  });
});

describe("[WD-18] memory is bounded, and what does not fit counts as news", () => {
  it("of results", () => {
    const detector = new LoopDetector();
    told(
      detector,
      times(10_000, (index) => call(`${index}`, `rows ${index}`)),
    );

    expect(
      told(
        detector,
        times(30, (index) => call(`more ${index}`, "one too many")),
      ),
    ).toEqual([]);
    expect(
      told(
        detector,
        times(6, (index) => call(`again ${index}`, "rows 1")),
      ),
    ).toEqual(["no_news nudge"]);
  });

  it("of what polls brought", () => {
    const detector = new LoopDetector();
    const poll = (args: string): LoopCall => call(args, "pending", { isPolling: true });
    told(
      detector,
      times(10_000, (index) => poll(`${index}`)),
    );
    const row = (args: string): LoopCall[] =>
      times(10, (index) => (index % 2 === 0 ? call("a", "r") : poll(args)));

    expect(told(detector, row("one too many"))).toEqual([]);
    expect(told(detector, row("1"))).toEqual(["repeat nudge"]);
  });
});

describe("[WD-18] rungs", () => {
  it.each([
    { nudge: 2, block: 3, stop: 4 },
    { nudge: 2, block: 999, stop: 1000 },
  ])("rise from 2 to 1000: $nudge, $block, $stop", (repeat) => {
    expect(() => new LoopDetector({ repeat })).not.toThrow();
  });

  it.each([
    { nudge: 1, block: 3, stop: 4 },
    { nudge: 3, block: 3, stop: 4 },
    { nudge: 2, block: 4, stop: 4 },
    { nudge: 2, block: 5, stop: 4 },
    { nudge: 2, block: 3, stop: 1001 },
    { nudge: 2, block: 3.5, stop: 4 },
  ])("and not $nudge, $block, $stop", (repeat) => {
    expect(() => new LoopDetector({ repeat })).toThrow(
      `The rungs of "repeat" must be rising whole numbers from 2 to 1000, not ${repeat.nudge}, ${repeat.block}, ${repeat.stop}.`,
    );
  });
});
