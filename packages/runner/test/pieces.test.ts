import { SimulatedClock } from "@bridle/kernel/testing";
import {
  asRunId,
  asTaskId,
  bridleError,
  endCauseNames,
  errorTable,
  taskOutcomeSchema,
} from "@bridle/protocol";
import type { ErrorCode, JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { entryPath } from "../src/isolates/entry-path.ts";
import { faultSentence } from "../src/isolates/fault-sentence.ts";
import { isolateEnvironment } from "../src/isolates/isolate-environment.ts";
import { LineCutter } from "../src/isolates/line-cutter.ts";
import { parseProcStat } from "../src/isolates/proc-table.ts";
import { familyOf, Followed } from "../src/isolates/reclaim-group.ts";
import { sourcePlace } from "../src/isolates/source-place.ts";
import { failedBy } from "../src/outcome/attempt-end.ts";
import { endCauseOf } from "../src/outcome/end-cause-of.ts";
import { stopRuleOf, stopRules } from "../src/outcome/stop-rules.ts";
import { toOutcome } from "../src/outcome/to-outcome.ts";
import { resolveRunnerSettings } from "../src/runner-settings.ts";
import { JournalWriter } from "../src/supervision/journal-writer.ts";
import { StepKeys } from "../src/supervision/step-keys.ts";
import { toolOutcomeOf } from "../src/supervision/tool-outcome.ts";
import { traceparent } from "../src/supervision/traceparent.ts";

describe("what ends a task", () => {
  it.each([
    ["budget_refused", "budget_refused"],
    ["budget_unavailable", "budget_unavailable"],
    ["breaker_open", "breaker_open"],
    ["rate_governed", "limit"],
    ["step_limit", "limit"],
    ["output_too_large", "limit"],
    ["model_overloaded", "model_failed"],
    ["tool_failed", "agent_error"],
    ["frame_invalid", "child_crashed"],
    ["shutting_down", "handed_back"],
    ["store_unavailable", "handed_back"],
    ["fenced", "cancelled"],
  ] satisfies [ErrorCode, string][])("%s ends it as %s", (code, cause) => {
    expect(endCauseOf(code)).toBe(cause);
  });

  it("every code of the error table has a cause with a rule and a hint", () => {
    for (const code of Object.keys(errorTable)) {
      const { rule, hint } = stopRuleOf(endCauseOf(code), code);
      expect(`${rule} ${hint}`).not.toMatch(/undefined|^ /);
    }
    expect(Object.keys(stopRules).toSorted()).toEqual([...endCauseNames].toSorted());
  });

  it("no hint asks for what there is no command for: retrying a task, raising a budget", () => {
    for (const { hint } of Object.values(stopRules)) {
      expect(hint).not.toMatch(/\bretry\b|raise the budget|\bresume\b/i);
    }
  });

  it("the stop object shows the envelope that refused, and says so when the ledger is silent", () => {
    const end = failedBy(bridleError("budget_refused", { details: { envelope: "run" } }));
    const amounts = (tokens: number) => ({ tokens, nanoUsd: 0, calls: 0 });
    const state = {
      creditMode: "credit",
      onTrip: "nothing",
      tripped: false,
      closed: false,
      frozenBy: [],
    } as const;
    const envelopes = [
      { ...state, envelope: "work", limit: amounts(5), settled: amounts(1), reserved: amounts(0) },
      { ...state, envelope: "run", limit: amounts(9), settled: amounts(8), reserved: amounts(1) },
    ];
    const facts = { taskId: asTaskId("work"), degraded: [] };
    const known = toOutcome(end, { ...facts, envelopes });
    expect(known).toMatchObject({
      stop: { spent: { tokens: "8" }, reserved: { tokens: "1" }, limit: { tokens: "9" } },
    });
    const silent = toOutcome(end, { ...facts, envelopes: undefined });
    expect(silent).toMatchObject({ stop: { evidence: { figures: "the ledger did not answer" } } });
    expect(taskOutcomeSchema.parse(known)).toEqual(known);
  });
});

describe("[BR-14] how a tool call ended", () => {
  const tool = { fault: "tool" } as const;
  const error = (code: string, status?: number) =>
    ({ kind: "error", code, message: "", status }) as const;
  it.each([
    ["a result", { kind: "result", text: "1" } as const, undefined, "success"],
    ["a 503 from a remote", error("HTTP", 503), undefined, "server_error"],
    ["a 404 from a remote", error("HTTP", 404), undefined, "client_error"],
    ["a reset connection", error("ECONNRESET"), undefined, "network"],
    ["bad arguments", error("tool_arguments_invalid"), undefined, "arguments_invalid"],
    ["a bug", error("tool_failed"), undefined, "threw"],
    ["a cancel", error("cancelled"), bridleError("cancelled"), "cancelled"],
    ["its step timeout", error("step_timeout"), bridleError("step_timeout"), "step_timeout"],
  ])("%s", (_, ending, stopped, outcome) => {
    expect(toolOutcomeOf(ending, tool, stopped)).toBe(outcome);
  });

  it("a 4xx of a tool that says so is the caller's fault", () => {
    expect(toolOutcomeOf(error("HTTP", 422), { fault: "caller" }, undefined)).toBe("caller_fault");
  });
});

describe("the journal", () => {
  const event = (step: number): JournalEvent => ({
    type: "step.started",
    runId: asRunId("run_1"),
    taskId: asTaskId("work"),
    attempt: 1,
    at: 0,
    step,
    kind: "step",
    key: "x",
  });
  const stepsOf = (events: readonly JournalEvent[]): readonly number[] =>
    events.map((written) => (written.type === "step.started" ? written.step : 0));

  function writer(append: (events: readonly JournalEvent[]) => Promise<boolean>) {
    const clock = new SimulatedClock();
    const told: string[] = [];
    const journal = new JournalWriter({
      append,
      clock,
      onRefused: () => told.push("refused"),
      onFull: () => told.push("full"),
    });
    return { clock, journal, told };
  }

  it("is written in order, in batches, over a store that was away; the end is handed over", async () => {
    const written: number[] = [];
    let isAway = true;
    const { clock, journal } = writer(async (events) => {
      if (isAway) throw bridleError("store_unavailable");
      written.push(...stepsOf(events));
      return true;
    });
    for (let step = 1; step <= 250; step++) journal.push(event(step));
    await clock.advanceAsync(2000);
    isAway = false;
    const ending = journal.takeLast(5000);
    await clock.advanceAsync(1000);
    const last = stepsOf(await ending);
    expect(written).toHaveLength(100);
    expect([...written, ...last]).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(clock.pendingTimers).toBe(0);
  });

  it("hands over at once what never went out", async () => {
    const { clock, journal } = writer(async () => true);
    journal.push(event(1));
    expect(stepsOf(await journal.takeLast(5000))).toEqual([1]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("does not hand over what may have arrived: it would stand twice", async () => {
    const { clock, journal } = writer(async () => new Promise(() => {}));
    journal.push(event(1));
    await clock.advanceAsync(100);
    journal.push(event(2));
    const ending = journal.takeLast(5000);
    await clock.advanceAsync(5000);
    expect(stepsOf(await ending)).toEqual([2]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("refused, it says so once and writes nothing more", async () => {
    let appends = 0;
    const { clock, journal, told } = writer(async () => {
      appends += 1;
      return false;
    });
    journal.push(event(1));
    await clock.advanceAsync(100);
    journal.push(event(2));
    await clock.advanceAsync(100);
    expect({ appends, told }).toEqual({ appends: 1, told: ["refused"] });
    expect(clock.pendingTimers).toBe(0);
  });

  it("is bounded: a task that writes without end is told once", () => {
    const { journal, told } = writer(async () => new Promise(() => {}));
    for (let step = 1; step <= 10_500; step++) journal.push(event(step));
    expect(told).toEqual(["full"]);
    journal.close();
  });
});

describe("small things", () => {
  it("[X4] an environment is built from a list, never by leaving things out", () => {
    const base = { PATH: "/bin", AWS_SECRET_ACCESS_KEY: "x", SOME_NEW_TOKEN: "y", DATA_DIR: "/d" };
    expect(isolateEnvironment({ base, allow: ["DATA_DIR"], token: "iso_1" })).toEqual({
      PATH: "/bin",
      DATA_DIR: "/d",
      BRIDLE_ISOLATE: "iso_1",
    });
  });

  it.each([
    ["file:///a/b.js:3\nconst x = {{\n\nSyntaxError: Unexpected token", "/a/b.js:3"],
    [
      "node:internal/modules:1\nError: x\n    at file:///srv/agents/a.mjs:12:7",
      "/srv/agents/a.mjs:12",
    ],
    ["/srv/a.ts:4:9: ERROR: Expected )", "/srv/a.ts:4"],
    ["Killed", undefined],
    ["Error: Cannot find module\n    at file:///p/node_modules/tsx/dist/x.mjs:2:1", undefined],
  ])("[B172] finds the place in %j", (text, place) => {
    expect(sourcePlace(text)).toBe(place);
  });

  it.each([
    ["x\nSyntaxError: Unexpected token", "SyntaxError: Unexpected token"],
    ["Killed", undefined],
    ["SyntaxError: Unexpected token\n    at x", "SyntaxError: Unexpected token"],
    [
      "Error: Transform failed with 1 error:\n/srv/a.ts:4:9: ERROR: Expected )\n    at x",
      "Error: Transform failed with 1 error: /srv/a.ts:4:9: ERROR: Expected )",
    ],
    ["Error: it broke:", "Error: it broke:"],
  ])("[B172] finds what was wrong in %j", (text, sentence) => {
    expect(faultSentence(text)).toBe(sentence);
  });

  it("a process whose name has spaces and parentheses is read right", () => {
    const text = `42 (my (odd) name) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1000`;
    expect(parseProcStat(42, text)).toEqual({
      pid: 42,
      state: "S",
      parentPid: 7,
      groupId: 42,
      startTicks: "98765",
    });
  });

  it("a family is everyone in the group and every descendant, whatever their own group", () => {
    const row = (pid: number, parentPid: number, groupId: number) => ({
      pid,
      parentPid,
      groupId,
      state: "S",
      startTicks: "1",
    });
    const rows = [row(1, 0, 1), row(10, 1, 10), row(11, 10, 10), row(12, 11, 12), row(13, 12, 12)];
    expect(familyOf([...rows, row(14, 1, 10), row(99, 1, 99)], 10)).toEqual([11, 12, 13, 14]);
  });

  it("[X3] who was found once counts until it is gone, also when it has lost its token on the way; a new process of its number does not", () => {
    const row = { pid: 20, parentPid: 1, groupId: 20, state: "S", startTicks: "1" };
    const found = new Followed(20);
    expect(found.look([row], () => true)).toEqual([20]);
    expect(found.look([{ ...row, state: "R" }], () => false)).toEqual([20]);
    expect(found.look([{ ...row, startTicks: "2" }], () => false)).toEqual([]);
    expect(found.look([{ ...row, state: "Z" }], () => false)).toEqual([]);
    expect(found.hasEscapees).toBe(false);
    found.look([{ ...row, groupId: 21 }], () => true);
    expect(found.hasEscapees).toBe(true);
  });

  it("what is spawned comes from dist, wherever the asker runs", () => {
    const of = (text: string) => entryPath(text, "../child/main.js");
    expect(of("file:///w/src/packages/runner/src/isolates/a.ts")).toBe(
      "/w/src/packages/runner/dist/child/main.js",
    );
    expect(of("file:///w/packages/runner/dist/isolates/a.js")).toBe(
      "/w/packages/runner/dist/child/main.js",
    );
  });

  it("lines are cut and bounded", () => {
    const lines: string[] = [];
    const cutter = new LineCutter((line) => lines.push(line));
    for (const text of ["one\ntw", "o\n", "x".repeat(5000), "\nrest"]) cutter.push(text);
    cutter.flush();
    expect(lines.map((line) => line.slice(0, 5))).toEqual(["one", "two", "xxxxx", "rest"]);
    expect(lines[2]).toHaveLength(4097);
  });

  it("the n-th call of a tool with the same arguments has the same key in every attempt", () => {
    const keys = () => {
      const book = new StepKeys();
      return [book.tool("pay", "1"), book.tool("pay", "1"), book.tool("pay", "2"), book.step("a")];
    };
    expect(keys()).toEqual(keys());
    expect(new Set(keys()).size).toBe(4);
  });

  it("[O1] a trace parent is written for W3C trace ids only", () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    expect(traceparent(traceId, 10)).toBe(`00-${traceId}-000000000000000a-01`);
    expect(traceparent("mine", 1)).toBeUndefined();
  });

  it("[B103] liveness numbers that cannot work together are refused at the door", () => {
    expect(() => resolveRunnerSettings({ selfFenceMs: 9000 })).toThrow(/before its lease lapses/);
    expect(() => resolveRunnerSettings({ workerRenewMs: 6000 })).toThrow(/three renewals/);
    expect(resolveRunnerSettings().workerLeaseMs).toBe(8000);
  });
});
