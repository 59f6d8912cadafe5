import { alertOf } from "@bridle/alerts";
import { alertSources, asRunId, asTaskId, toWireAmounts } from "@bridle/protocol";
import type { FleetEvent, RunEvent, Stop } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

const runId = asRunId("run_1");
const task = { at: 7, runId, taskId: asTaskId("search"), attempt: 1, traceId: "trace" };
const none = toWireAmounts({ tokens: 0, nanoUsd: 0, calls: 0 });
const stop: Stop = {
  reason: "budget_exhausted_degraded",
  guard: "budget",
  rule: "BU-17",
  evidence: { quoted: "what the agent said" },
  spent: none,
  reserved: none,
  limit: none,
  partialOutput: { answer: "what the agent said" },
  resumable: true,
  hint: "Raise the budget.",
};
const opened = {
  type: "breaker.open",
  at: 7,
  key: "agent:demo/planner",
  tier: "agent",
  triggers: ["failure_rate"],
  evidence: {},
  cooldownMs: 30_000,
  openCount: 1,
} as const satisfies Omit<Extract<FleetEvent, { type: "breaker.open" }>, "triggers"> & {
  triggers: readonly string[];
};
type Opened = Extract<FleetEvent, { type: "breaker.open" }>;

function openedBy(changes: Partial<Opened>): Opened {
  return { ...opened, triggers: [...opened.triggers], ...changes };
}

describe("what an event has to say to somebody who does not look", () => {
  it("[BR-17] [E2] an agent's breaker that opens is an alert, in words", () => {
    expect(alertOf(openedBy({}))).toEqual({
      name: "breaker.open",
      status: "firing",
      severity: "warning",
      subject: "breaker:agent:demo/planner",
      message:
        "The breaker agent:demo/planner has opened (failure_rate) and refuses calls for 30000 ms.",
    });
  });

  it.each([
    ["burning is critical", "chain", ["burn_rate"], "critical"],
    ["a provider's opening is a warning", "provider", ["consecutive_failures"], "warning"],
    ["a tool's is for the list", "tool", ["failure_rate"], "info"],
    [
      "what a person did is told as that order, not by every worker",
      "agent",
      ["forced"],
      undefined,
    ],
  ] as const)("[BR-17] [E2] %s", (_, tier, triggers, severity) => {
    const event = openedBy({ key: `${tier}:x/y`, tier, triggers: [...triggers] });
    expect(alertOf(event)?.severity).toBe(severity);
  });

  it.each<readonly [string, RunEvent | FleetEvent, object | undefined]>([
    [
      "closed",
      { type: "breaker.close", at: 7, key: "k", tier: "agent" },
      { status: "resolved", subject: "breaker:k" },
    ],
    [
      "reset",
      { type: "breaker.reset", at: 7, key: "k", tier: "agent", actor: "ann", reason: "r" },
      { status: "resolved", subject: "breaker:k" },
    ],
    [
      "forced",
      {
        type: "breaker.forced",
        at: 7,
        key: "k",
        tier: "agent",
        state: "FORCED_OPEN",
        actor: "ann",
        reason: "an outage",
        until: 8,
      },
      { name: "breaker.forced", severity: "info" },
    ],
    [
      "degraded",
      { type: "guard.degraded", at: 7, guard: "watchdog", reason: "r" },
      { severity: "critical" },
    ],
    [
      "stalled",
      { type: "task.stalled", ...task, layer: "stream", step: 1, repeatBeats: 3, silentMs: 0 },
      { name: "task.stalled", severity: "warning", runId, taskId: "search", traceId: "trace" },
    ],
    [
      "stopped in a loop",
      { type: "task.looping", ...task, step: 1, reaction: "stop", pattern: "repeat", count: 12 },
      { name: "task.looping" },
    ],
    [
      "nudged in a loop",
      { type: "task.looping", ...task, step: 1, reaction: "nudge", pattern: "repeat", count: 4 },
      undefined,
    ],
    [
      "timed out",
      { type: "task.timed_out", ...task, clock: "task", afterMs: 9 },
      { name: "task.timed_out" },
    ],
    [
      "killed",
      { type: "task.killed", ...task, signal: "SIGKILL", reason: "stall", timeToStopMs: 9 },
      { name: "task.killed" },
    ],
    [
      "overrun",
      { type: "budget.overrun", ...task, step: 1, holdId: "h", amounts: none, actual: none },
      { name: "budget.overrun" },
    ],
    [
      "the run's budget tripped",
      {
        type: "budget.exhausted",
        at: 7,
        runId,
        envelope: "run",
        settled: none,
        limit: none,
        dimension: "tokens",
      },
      { severity: "critical", subject: "budget.exhausted:run_1:run" },
    ],
    [
      "a task's budget tripped",
      {
        type: "budget.exhausted",
        at: 7,
        runId,
        envelope: "search",
        settled: none,
        limit: none,
        dimension: "tokens",
      },
      { severity: "warning", subject: "budget.exhausted:run_1:search", taskId: "search" },
    ],
    [
      "raised",
      { type: "budget.raised", at: 7, runId, envelope: "run", raisedBy: none, limit: none },
      { status: "resolved", subject: "budget.exhausted:run_1:run" },
    ],
    [
      "paused by a guard",
      { type: "run.paused", at: 7, runId, reason: "budget", stop },
      { severity: "critical" },
    ],
    ["paused by a person", { type: "run.paused", at: 7, runId, reason: "lunch" }, undefined],
    [
      "resumed",
      { type: "run.resumed", at: 7, runId, by: "ann" },
      { status: "resolved", subject: "run.paused:run_1" },
    ],
    [
      "ended by a guard",
      {
        type: "run.finished",
        at: 7,
        runId,
        status: "FAILED",
        stop,
        degraded: [],
        hasOutput: false,
      },
      { severity: "warning" },
    ],
    [
      "ended by its agent's error",
      {
        type: "run.finished",
        at: 7,
        runId,
        status: "FAILED",
        stop: { ...stop, guard: "none" },
        degraded: [],
        hasOutput: false,
      },
      { severity: "info" },
    ],
    [
      "completed",
      { type: "run.finished", at: 7, runId, status: "COMPLETED", degraded: [], hasOutput: true },
      undefined,
    ],
    [
      "cancelled by a person",
      { type: "run.finished", at: 7, runId, status: "CANCELLED", degraded: [], hasOutput: false },
      undefined,
    ],
  ])("[E4] %s", (_, event, expected) => {
    expect(alertSources).toContain(event.type);
    expect({ draft: alertOf(event) }).toMatchObject({ draft: expected });
  });

  it("[E4] carries the stop contract, and nothing that an agent wrote", () => {
    const draft = alertOf({ type: "run.paused", at: 7, runId, reason: "budget", stop });
    const { partialOutput: _output, evidence: _evidence, ...told } = stop;
    expect(draft?.stop).toEqual(told);
    // The control: it was there to be told.
    expect(JSON.stringify(stop)).toContain("what the agent said");
    expect(JSON.stringify(draft)).not.toContain("what the agent said");
  });

  it("[E4] cuts what a person wrote without end", () => {
    const reason = "x".repeat(10_000);
    const draft = alertOf({ type: "guard.degraded", at: 7, guard: "watchdog", reason });
    expect(draft?.message.length).toBe(500);
  });
});
