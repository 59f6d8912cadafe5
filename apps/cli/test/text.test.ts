import type { RunView } from "@bridle/protocol";
import fc from "fast-check";
import { createColors } from "picocolors";
import { describe, expect, it } from "vitest";

import { noProgress, reduceProgress } from "../src/progress/progress.ts";
import type { Progress } from "../src/progress/progress.ts";
import { renderLine, renderProgressLine } from "../src/progress/render-lines.ts";
import { renderTable } from "../src/progress/render-table.ts";
import { formatDuration, formatTable, formatUsd } from "../src/text/format.ts";
import { describeStop, printRun } from "../src/text/print-run.ts";
import { manyLines, oneLine, safeJson } from "../src/text/sanitize.ts";
import { fakeIo } from "./fake-io.ts";

// oxlint-disable-next-line no-control-regex -- what must not reach a terminal
const obeyed = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/;

const attacks: readonly [string, string][] = [
  ["clears the screen", "\u001B[2J\u001B[H"],
  ["makes a link", "\u001B]8;;https://evil.test\u0007click\u001B]8;;\u0007"],
  ["writes the clipboard", "\u001B]52;c;ZXZpbA==\u0007"],
  ["overwrites its line", "all is well\rFAILED"],
  ["uses one-byte controls", "\u009B2J\u0090q\u009C"],
  ["reorders text", "\u202Egnp.exe"],
  ["rings and erases", "\u0007\u0008\u0008\u007F"],
];

describe("text of models and tools on a terminal", () => {
  it.each(attacks)("[B200] is inert when it %s", (_what, text) => {
    expect(obeyed.test(text)).toBe(true);
    for (const safe of [oneLine(text), manyLines(text), safeJson({ text })]) {
      expect(safe).not.toMatch(obeyed);
    }
    expect(JSON.parse(safeJson({ text }))).toEqual({ text });
  });

  it("[B200] cannot forge a line of ours", () => {
    const forged = 'ok\n{"level":"info","msg":"run.finished"}';
    const line = renderLine({
      event: "task.failed",
      data: { at: 0, taskId: "a", message: forged },
    });
    expect(line.split("\n")).toHaveLength(1);
    expect(manyLines(forged).split("\n")).toHaveLength(2);
  });

  it("[B200] is inert for any text, and JSON of it means the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(oneLine(text)).not.toMatch(/[\n\t]/);
        expect(oneLine(text)).not.toMatch(obeyed);
        expect(JSON.parse(safeJson(text))).toBe(text);
      }),
    );
  });

  it("[B200] keeps ordinary text of any script as it is", () => {
    const text = "Grüße, 世界 👋 — naïve café";
    expect([oneLine(text), manyLines(`${text}\n\t${text}`)]).toEqual([text, `${text}\n\t${text}`]);
  });
});

describe("amounts", () => {
  it.each([
    [0, "0 ms"],
    [850, "850 ms"],
    [12_340, "12.3 s"],
    [245_000, "4m 05s"],
    [7_380_000, "2h 03m"],
  ])("shows %d ms as %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

  it("shows fractions of a cent, and columns in line", () => {
    expect(formatUsd("12345678")).toBe("$0.0123");
    expect(
      formatTable([
        ["A", "BB"],
        ["CCC", "D"],
      ]),
    ).toBe("A    BB\nCCC  D\n");
  });
});

describe("the progress of a run", () => {
  const at = 1000;
  const play = (messages: readonly [string, object][]): Progress =>
    messages.reduce<Progress>(
      (progress, [event, data]) => reduceProgress(progress, { event, data: { at, ...data } }),
      noProgress,
    );

  it("follows a task through its states, and adds up what was settled", () => {
    const progress = play([
      ["run.submitted", { workflow: "demo" }],
      ["run.started", {}],
      ["task.scheduled", { taskId: "plan", attempt: 1 }],
      ["task.started", { taskId: "plan", attempt: 1 }],
      ["step.started", { taskId: "plan", step: 3, key: "model:smart" }],
      ["budget.settled", { actual: { tokens: "120", nanoUsd: "5000", calls: "1" } }],
      ["budget.settled", { actual: { tokens: "30", nanoUsd: "1000", calls: "1" } }],
    ]);
    expect(progress).toMatchObject({
      workflow: "demo",
      status: "RUNNING",
      spentTokens: 150,
      spentNanoUsd: 6000,
    });
    expect(progress.tasks.get("plan")).toMatchObject({ status: "RUNNING", step: 3, startedAt: at });
  });

  it.each([
    ["task.parked", { breaker: "tool:search" }, "PARKED"],
    ["task.spawned", { parent: "plan" }, "PENDING"],
    ["task.returned", {}, "WAITING"],
    ["task.stalled", { layer: "process" }, "STALLED"],
    ["task.retrying", { code: "agent_failed", delayMs: 2000 }, "PENDING"],
    ["task.failed", { status: "TIMED_OUT", code: "task_timeout", message: "late" }, "TIMED_OUT"],
    ["task.cancelled", { reason: "enough" }, "CANCELLED"],
    ["task.skipped", { reason: "condition" }, "SKIPPED"],
    ["task.completed", {}, "COMPLETED"],
  ])("shows after %s that the task is %s", (event, data, status) => {
    const progress = play([
      ["task.started", { taskId: "a" }],
      [event, { taskId: "a", ...data }],
    ]);
    expect(progress.tasks.get("a")?.status).toBe(status);
  });

  it("[BR-18] says of a parked task behind which breaker, since when and when that may be asked again", () => {
    const [since, until] = [Date.UTC(2026, 0, 1, 12, 0, 5), Date.UTC(2026, 0, 1, 12, 0, 35)];
    const breaker = "provider:north/large";
    const told = play([["task.parked", { at: since, taskId: "a", breaker, until }]]);
    const parked = { breaker, reason: "open", since, until, failsAt: until };
    const tasks = [{ id: "a", status: "PARKED", attempt: 1, parked }];
    const shown = reduceProgress(noProgress, {
      event: "run.snapshot",
      data: { workflow: "demo", status: "WAITING", createdAt: 5, tasks },
    });
    const note = "behind provider:north/large since 12:00:05, asks again from 12:00:35";
    expect(told.tasks.get("a")?.note).toBe(note);
    expect(shown.tasks.get("a")?.note).toBe(note);
  });

  it("starts afresh from a snapshot", () => {
    const before = play([["task.started", { taskId: "gone" }]]);
    const after = reduceProgress(before, {
      event: "run.snapshot",
      data: {
        workflow: "demo",
        status: "RUNNING",
        createdAt: 5,
        tasks: [{ id: "a", status: "QUEUED", attempt: 1 }],
      },
    });
    expect([...after.tasks.keys()]).toEqual(["a"]);
  });

  it("shows what runs when not all tasks fit, in as many lines and columns as there are", () => {
    const tasks = Array.from({ length: 100 }, (_, index): [string, object] => [
      index === 90 ? "task.started" : "task.completed",
      { taskId: `t${index}` },
    ]);
    const lines = renderTable(play(tasks), {
      columns: 40,
      rows: 12,
      now: 2000,
      colors: createColors(false),
    });
    expect(lines.length).toBeLessThanOrEqual(11);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(lines.join("\n")).toContain("t90");
    expect(lines.at(-1)).toContain("92 more");
  });

  it("leaves out of the lines what every step writes, and nothing that ends a task", () => {
    expect(renderProgressLine({ event: "step.started", data: { at } })).toBeUndefined();
    expect(
      renderProgressLine({ event: "task.failed", data: { at, taskId: "a", code: "x" } }),
    ).toContain("taskId=a");
  });

  it("tells in words what a guard stopped, on which figures, and what to do", () => {
    const none = { tokens: "0", nanoUsd: "0", calls: "0" };
    const text = describeStop({
      reason: "stalled",
      guard: "watchdog",
      rule: "WD-5",
      evidence: { repeatBeats: 3, silentMs: 41_000 },
      spent: none,
      reserved: none,
      limit: none,
      resumable: false,
      hint: "Let the agent report progress.",
    });
    expect(text).toBe(
      "Stopped by the watchdog (WD-5): stalled\n  because repeatBeats=3, silentMs=41000\n  Let the agent report progress.\n",
    );
  });

  it("[D4] tells what the ladder came to, rung by rung, and that there is something to show for it", () => {
    const none = { tokens: "0", nanoUsd: "0", calls: "0" };
    const text = describeStop({
      reason: "budget_exhausted_degraded",
      guard: "budget",
      rule: "BU-9",
      evidence: {
        refusal: "tripped",
        rungs: [
          { rung: "cheaper", outcome: "refused", reason: "budget_refused: no" },
          { rung: "flow", outcome: "refused", reason: "it needs 2 calls, and 1 are left" },
        ],
      },
      spent: none,
      reserved: none,
      limit: none,
      partialOutput: { plan: { title: "x" }, search: [1, null] },
      resumable: true,
      hint: "Add to it.",
    });
    expect(text.split("\n")).toEqual([
      "Stopped by the budget (BU-9): budget_exhausted_degraded",
      "  because refusal=tripped",
      "  cheaper refused: budget_refused: no",
      "  flow refused: it needs 2 calls, and 1 are left",
      "  there is output of plan, search (-o json shows it)",
      "  Add to it.",
      "",
    ]);
  });

  const failed = {
    runId: "run_1",
    status: "FAILED",
    createdAt: at,
    degraded: [],
    stop: {
      reason: "agent_error",
      guard: "none",
      rule: "agent",
      evidence: { stack: "Error: no entry\n    at run (agents.ts:3:1)" },
      resumable: true,
      hint: "The agent threw.",
    },
    tasks: [{ id: "look", status: "FAILED", error: { code: "agent_failed", message: "no entry" } }],
  };
  const printed = (run: object): string => {
    const io = fakeIo();
    printRun(run as RunView, io, "text");
    return io.errText;
  };

  it("says what a failed task's agent threw, without a stack", () => {
    expect(printed(failed)).toMatch(/look +FAILED +agent_failed: no entry/);
    expect(printed(failed)).not.toMatch(/stack|at run/);
  });

  it("names the way on for a paused run only: one that has ended cannot be resumed", () => {
    expect(printed({ ...failed, status: "PAUSED" })).toContain("bridle runs resume run_1");
    expect(printed(failed)).not.toMatch(/resume/);
  });

  it("prints ten of ten thousand failed tasks, and how many more there are", () => {
    const tasks = Array.from({ length: 10_000 }, () => failed.tasks[0]);
    const text = printed({ ...failed, tasks });
    expect(text.match(/no entry/g)).toHaveLength(10);
    expect(text).toContain("… and 9,990 more");
  });
});
