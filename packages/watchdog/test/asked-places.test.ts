import { describe, expect, it } from "vitest";

import { LoopDetector } from "../src/index.ts";
import type { LoopCall } from "../src/index.ts";
import { times } from "./support/loop-calls.ts";

/** A search that finds nothing. */
function search(texts: Readonly<Record<string, string>>, more: Partial<LoopCall> = {}): LoopCall {
  const call = { tool: "grep", args: JSON.stringify(texts), texts, result: "none" };
  return { ...call, failed: false, isPolling: false, hasEffect: false, ...more };
}

const wording = (index: number, path: string): LoopCall =>
  search({ pattern: `pattern ${index}`, path });

/** Reactions to each call, as `reaction count`; calls that are refused are insisted on. */
function told(detector: LoopDetector, calls: readonly LoopCall[]): readonly string[] {
  return calls.map((call) => {
    const isRefused = detector.check(call) !== undefined;
    const finding = isRefused ? detector.blocked(call) : detector.called(call);
    return `${isRefused ? "refused " : ""}${finding?.reaction ?? "-"}`;
  });
}

/** So many calls until each reaction was told. */
function reached(calls: readonly LoopCall[]): Readonly<Record<string, number>> {
  const rungs = told(new LoopDetector(), calls).map((rung) => rung.replace("refused ", ""));
  return Object.fromEntries(
    ["nudge", "block", "stop"].map((rung) => [rung, rungs.indexOf(rung) + 1]),
  );
}

describe("[WD-18] [WD-19] looking for one thing in other places", () => {
  it("is no row: each other folder is another question, even if nothing is found", () => {
    const calls = times(20, (index) => wording(index, `folder ${Math.floor(index / 2)}`));

    expect(reached(calls)).toEqual({ nudge: 12, block: 18, stop: 0 });
    expect(reached(calls.map((call) => Object.assign(call, { texts: undefined })))).toEqual({
      nudge: 7,
      block: 10,
      stop: 13,
    });
  });

  it("counts from where nobody looked: going back to a known folder is no other place", () => {
    const calls = times(30, (index) => wording(index, `folder ${index % 3}`));

    // The three folders cost three calls at most: which of both is the place shows at the third.
    expect(reached(calls)).toEqual({ nudge: 7, block: 10, stop: 13 });
  });

  it("ends after twelve places, whatever the arguments", () => {
    const calls = times(40, (index) => wording(index, `folder ${Math.max(1, index)}`));

    expect(reached(calls)).toEqual({ nudge: 19, block: 22, stop: 25 });
  });

  it("begins anew after a find, a change that was polled, or another tool's call", () => {
    const elsewhere = (from: number): readonly LoopCall[] =>
      times(13, (index) => wording(from + index, `folder ${from + Math.max(1, index)}`));
    const between: readonly LoopCall[] = [
      search({ pattern: "hit", path: "src" }, { result: "line 12" }),
      search({}, { tool: "status", result: "changed", isPolling: true }),
      search({ name: "a" }, { tool: "open", result: "text" }),
    ];
    for (const one of between) {
      const detector = new LoopDetector();
      told(detector, [...elsewhere(0), one]);

      expect(told(detector, elsewhere(100)).filter((rung) => rung !== "-")).toEqual([]);
    }
  });

  it("is each tool's own row: twelve places of one leave the other its twelve", () => {
    const list = (index: number): LoopCall =>
      search({ name: `name ${index}`, root: `root ${Math.max(1, index)}` }, { tool: "list" });
    const known = [list(0), list(1)];
    const places = times(13, (index) => wording(index, `folder ${Math.max(1, index)}`));
    const detector = new LoopDetector();
    told(detector, [...known, ...places]);

    expect(
      told(
        detector,
        times(10, (index) => list(100 + index)),
      ),
    ).toEqual(Array.from({ length: 10 }, () => "-"));
  });

  it("is let through where a wording of the same question is refused", () => {
    const detector = new LoopDetector();
    told(
      detector,
      times(10, (index) => wording(index, "src")),
    );

    expect(detector.check(wording(11, "src"))).toMatchObject({ pattern: "no_news" });
    expect(detector.check(wording(11, "lib"))).toBeUndefined();
    expect(detector.blocked(wording(11, "lib"))).toBeUndefined();
    detector.called(wording(11, "lib"));
    expect(detector.check(wording(12, "lib"))).toMatchObject({ pattern: "no_news" });
    expect(detector.check(wording(12, "src"))).toMatchObject({ pattern: "no_news" });
  });

  it("counts a member that was never said before as elsewhere", () => {
    const detector = new LoopDetector();
    told(
      detector,
      times(10, (index) => wording(index, "src")),
    );

    const narrowed = search({ pattern: "pattern 11", path: "src", glob: "*.ts" });
    expect(detector.check(wording(11, "src"))).toMatchObject({ pattern: "no_news" });
    expect(detector.check(narrowed)).toBeUndefined();
  });

  it("needs a member that is asked in fewer ways than another: two that differ each time are wordings", () => {
    const both = times(20, (index) => wording(index, `folder ${index}`));
    expect(reached(both)).toEqual({ nudge: 7, block: 10, stop: 13 });

    const one = times(20, (index) => search({ pattern: `pattern ${index}` }));
    expect(reached(one)).toEqual({ nudge: 7, block: 10, stop: 13 });
  });

  it("is each tool's own: what another was asked is no place of this one", () => {
    const detector = new LoopDetector();
    told(detector, [
      search({ path: "a" }, { tool: "list", result: "1" }),
      search({ path: "b" }, { tool: "list", result: "2" }),
      search({ path: "c" }, { tool: "list", result: "3" }),
    ]);
    const rungs = told(
      detector,
      times(7, (index) => wording(index, "src")),
    );

    expect(rungs.at(-1)).toBe("nudge");
  });
});
