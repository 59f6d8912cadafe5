import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { corpus, isLongAndGood, undeclared, worse } from "./loops-page.ts";
import { playTrace } from "./play-trace.ts";
import type { PlayOptions } from "./play-trace.ts";
import { scoreOf, wastedUntil } from "./score.ts";
import type { Score } from "./score.ts";
import type { Trace } from "./trace.ts";

const sets = corpus();
const all = sets.flatMap(({ traces }) => traces);
const blind = sets.flatMap(({ name, traces }) => (name === "blind" ? traces : []));
const own = all.filter((trace) => !blind.includes(trace));

const score = (traces: readonly Trace[], options: PlayOptions = {}): Score =>
  scoreOf(traces.map((trace) => playTrace(trace, options)));

describe("the corpus of loops", () => {
  it("[WD-19] has 64 traces and more, a third of them good ones of fifty steps and more", () => {
    expect(all.length).toBeGreaterThanOrEqual(64);
    expect(all.filter(isLongAndGood).length / all.length).toBeGreaterThanOrEqual(0.3);
    expect(blind.length).toBeGreaterThanOrEqual(20);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it("says of every loop where it starts, and of no good trace", () => {
    const wrong = all.filter(({ label, loopStartsAt, steps }) =>
      label === "good"
        ? loopStartsAt !== undefined
        : loopStartsAt === undefined || loopStartsAt >= steps.length,
    );
    expect(wrong).toEqual([]);
  });

  it("holds nothing but calls with arguments and results, and texts", () => {
    const shapes = new Set(
      all.flatMap(({ steps }) =>
        steps.map((step) =>
          step.kind === "text"
            ? `text ${typeof step.text}`
            : `tool ${typeof step.tool} ${typeof step.arguments} ${typeof step.result} ${typeof step.isError}`,
        ),
      ),
    );
    expect([...shapes].toSorted()).toEqual(["text string", "tool string object string boolean"]);
  });

  it("has its blind traces as they were written", () => {
    const folder = fileURLToPath(new URL("corpus/blind/", import.meta.url));
    const sum = createHash("sha256");
    for (const file of readdirSync(folder).toSorted()) sum.update(readFileSync(folder + file));
    expect(sum.digest("hex")).toBe(
      "28bea70642caada9a7754885624ed056efed0452b37ee2360306cac206e0682c",
    );
  });
});

describe("the shipped detector", () => {
  it("[WD-18] [WD-19] stops no good trace and refuses it no call", () => {
    const { falselyRefused, falselyStopped } = score(all);
    expect({ falselyRefused, falselyStopped }).toEqual({ falselyRefused: [], falselyStopped: [] });
  });

  it("[WD-18] [WD-19] stops every loop that was written for it, within twice the twelve of a row", () => {
    expect(score(own).missed).toEqual([]);
    const wasted = own
      .filter(({ label }) => label === "loop")
      .map((trace) => wastedUntil(playTrace(trace), "stop") ?? Infinity);
    expect(Math.max(...wasted)).toBeLessThanOrEqual(24);
  });

  it("[WD-18] [WD-19] hints before it refuses, and refuses before it stops", () => {
    const loops = own.filter(({ label }) => label === "loop").map((trace) => playTrace(trace));
    const outOfOrder = loops.filter((played) => {
      const [nudge = 0, block = 0, stop = 0] = (["nudge", "block", "stop"] as const).map(
        (reaction) => wastedUntil(played, reaction),
      );
      return !(0 < nudge && nudge < block && block < stop);
    });
    expect(outOfOrder).toEqual([]);
  });

  it("[WD-19] stops eight of the eleven loops that were written without sight of it", () => {
    expect(score(blind).missed).toEqual([
      "20-fix-reverted-reapplied",
      "22-late-loop-after-rolling-restart",
      "24-three-tool-cycle",
    ]);
  });
});

describe("a detector that is worse", () => {
  it("[WD-18] [WD-19] because it does not look for news misses whoever asks in other words", () => {
    const { missed, recall } = score(own, { thresholds: worse.withoutNovelty });
    expect(missed).toEqual(expect.arrayContaining(["paraphrases-1", "repeats-tool-paraphrasing"]));
    expect(recall).toBeLessThanOrEqual(0.8);
  });

  it("[WD-18] [WD-19] because it acts from two on stops good work", () => {
    const { falselyStopped, precision } = score(own, { thresholds: worse.atTwo });
    expect(falselyStopped).toEqual(expect.arrayContaining(["flapping-tool", "looks-twice-1"]));
    expect(precision).toBeLessThanOrEqual(0.85);
  });

  it("[WD-18] [WD-19] because no tool tells it what it is stops who polls and who writes", () => {
    const { falselyStopped } = score(own.map(undeclared));
    expect(falselyStopped).toEqual(
      expect.arrayContaining(["polls-until-done-1", "writes-many-records-1"]),
    );
  });
});
