import { allScenarios } from "@bridle/fake-agents/chaos";
import type { ScenarioResult } from "@bridle/fake-agents/chaos";
import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";

import { renderChaosTable, renderResultLine } from "../src/chaos/render-chaos.ts";
import type { ChaosRow } from "../src/chaos/render-chaos.ts";
import { runProgram } from "../src/index.ts";
import { fakeIo } from "./fake-io.ts";

describe("[F6] bridle chaos list", () => {
  test("names every scenario with its question", async () => {
    const io = fakeIo();
    expect(await runProgram(["chaos", "list"], io)).toBe(0);
    const lines = io.outText.trim().split("\n");
    expect(lines).toHaveLength(allScenarios.length);
    expect(lines).toContainEqual(
      expect.stringMatching(/^dead-loop +watchdog +Who notices an agent that beats/),
    );
  });

  test("gives the same as JSON", async () => {
    const io = fakeIo();
    expect(await runProgram(["chaos", "list", "-o", "json"], io)).toBe(0);
    expect(JSON.parse(io.outText)).toEqual(
      allScenarios.map(({ name, guard, question }) => ({ name, guard, question })),
    );
  });
});

describe("[F6] bridle chaos run, asked for what it cannot do", () => {
  test.each([
    ["nothing", [], "Give the names of scenarios, or --all."],
    ["names and --all", ["spins", "--all"], "Give names or --all, not both."],
    ["a name nobody has", ["spinz"], 'There is no scenario "spinz".'],
    ["no rounds", ["spins", "--rounds", "0"], "--rounds expects a whole number from 1"],
    ["a seed that is none", ["spins", "--seed", "x"], "--seed expects a whole number from 0"],
    ["no lane", ["spins", "--parallel", "0"], "--parallel expects a whole number from 1"],
    ["a file that is not there", ["spins", "--config", "no.mjs"], "there is no such file"],
  ])("%s: says so and ends 2", async (_what, args, sentence) => {
    const io = fakeIo();
    expect(await runProgram(["chaos", "run", ...args], io)).toBe(2);
    expect(io.errText).toContain(sentence);
  });
});

const result: ScenarioResult = {
  name: "spins",
  round: 2,
  guard: "watchdog",
  missed: [],
  endedAs: "TIMED_OUT",
  reason: "task_timeout",
  wasUnplugged: false,
  calls: 3,
  tokens: 120,
  usd: 0.5,
  livedMs: 1500,
  reclaimMs: 500,
  orphans: 0,
};

describe("[F6] a line per scenario", () => {
  test("says that it held, with its figures", () => {
    const line = renderResultLine(result, "on");
    expect(line).toMatch(
      /^held {4}spins +watchdog +round 2 +TIMED_OUT\(task_timeout\) +1\.5 s +3 calls +120 tokens +\$0\.50$/,
    );
  });

  test("names the bound that was missed, and what was left", () => {
    const line = renderResultLine({ ...result, missed: ["books: 3 are held"], orphans: 2 }, "on");
    expect(line).toMatch(/^MISSED {2}spins .*2 orphans {3}books: 3 are held$/);
  });

  test("judges nothing when the guards were off", () => {
    expect(renderResultLine(result, "off")).toMatch(/^seen /);
  });
});

describe("[F6] the table in a terminal", () => {
  const colors = createColors(false);
  const frame = { columns: 120, height: 24, rounds: 3, colors };
  const row = (name: string, state: ChaosRow["state"]): ChaosRow => ({
    name,
    guard: "watchdog",
    round: 2,
    state,
  });

  test("counts what is over, and shows each with its state", () => {
    const rows = [row("spins", "running"), { ...row("exits", "held"), result }];
    expect(renderChaosTable(rows, frame)).toEqual([
      "round 2 of 3   1/2 stopped",
      expect.stringMatching(/^ {2}spins +watchdog +running$/),
      expect.stringMatching(/^ {2}exits +watchdog +held +TIMED_OUT/),
    ]);
  });

  test("keeps what was missed and what runs in sight when there is no room for all", () => {
    const rows = [
      ...Array.from({ length: 30 }, (_, index) => row(`held-${index}`, "held")),
      row("late", "missed"),
      row("busy", "running"),
    ];
    const lines = renderChaosTable(rows, { ...frame, height: 8 });
    expect(lines).toHaveLength(7);
    expect(lines.join("\n")).toContain("late");
    expect(lines.join("\n")).toContain("busy");
    expect(lines.at(-1)).toBe("  and 27 more");
  });

  test("never writes wider than the terminal", () => {
    const rows = [{ ...row("exits", "held"), result }];
    for (const line of renderChaosTable(rows, { ...frame, columns: 40 }))
      expect(line.length).toBeLessThanOrEqual(40);
  });
});
