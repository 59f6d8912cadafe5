import { readFileSync } from "node:fs";

import { allScenarios } from "@bridle/fake-agents/chaos";
import type { ChaosReport } from "@bridle/fake-agents/chaos";
import { describe, expect, test } from "vitest";

import { chaosPage, chaosPageFile, keptReport } from "./chaos-page.ts";

describe("[F6] the scoreboard", () => {
  const on = keptReport("on");
  const off = keptReport("off");

  const figuresOf = (report: ChaosReport, name: string) =>
    report.results.filter((result) => result.name === name);

  test("is what the kept runs say", () => {
    expect(readFileSync(chaosPageFile, "utf8")).toBe(chaosPage(on, off));
  });

  test("stands on a run of at least three rounds in which every bound held", () => {
    expect(on).toMatchObject({ guards: "on", ok: true, grown: [] });
    expect(on.rounds).toBeGreaterThanOrEqual(3);
    expect(on.results).toHaveLength(on.rounds * allScenarios.length);
    expect(off.guards).toBe("off");
  });

  test("has no line for a scenario that was not played", () => {
    const without = { ...on, results: on.results.filter(({ name }) => name !== "spins") };
    expect(() => chaosPage(without, off)).toThrow("has no spins");
  });

  test("[F4] shows no orphan", () => {
    const orphans = on.results.filter((result) => result.orphans > 0);
    expect(orphans).toEqual([]);
  });

  test("without guards the minute costs what it did: some 761 paid calls and at least $20", () => {
    const [minute] = figuresOf(off, "twenty-dollar-minute");
    expect(Math.abs((minute?.calls ?? 0) - 761)).toBeLessThan(40);
    expect(minute?.usd).toBeGreaterThan(19.5);
    expect(minute?.usd).toBeLessThan(30);
    for (const { calls } of figuresOf(on, "twenty-dollar-minute")) expect(calls).toBeLessThan(6);
  });

  test("[BU-10] without guards the night loop takes all its 300 steps; with them 225 of a million tokens", () => {
    expect(figuresOf(off, "night-loop")).toMatchObject([{ calls: 300, tokens: 1_200_000 }]);
    for (const result of figuresOf(on, "night-loop"))
      expect(result).toMatchObject({ calls: 225, tokens: 900_000 });
  });
});
