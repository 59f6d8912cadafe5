import { failsTool } from "../../agents/fails-tool.ts";
import { flappingTool } from "../../agents/flapping-tool.ts";
import { sendsTooLate } from "../../agents/sends-too-late.ts";
import { slowCall } from "../../agents/slow-call.ts";
import type { Scenario } from "../scenario.ts";
import { afterVerdict, failuresWithin, isHeldBack, once, withinMs } from "./bounds.ts";

const hang = () => ({ type: "hang", at: "headers" }) as const;

/** Providers and tools that do not do their part. */
export const calls: readonly Scenario[] = [
  {
    name: "slow-call",
    question: "Who ends a model call that does not come back?",
    agent: slowCall,
    input: () => ({ model: "slow-call" }),
    task: { timeout: { step: "500ms" }, ...once },
    reply: hang,
    calls: () => 3,
    guard: "watchdog",
    ends: [{ status: "FAILED", reason: "step_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(3000),
  },
  {
    name: "ping-flood",
    question: "Is a stream of nothing but pings taken for an answer?",
    agent: slowCall,
    input: () => ({ model: "ping-flood" }),
    task: { timeout: { step: "500ms" }, ...once },
    reply: () => ({ type: "ping_flood", everyMs: 20 }),
    calls: () => 3,
    guard: "watchdog",
    ends: [{ status: "FAILED", reason: "step_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(3000),
  },
  {
    name: "trickle",
    question: "Who ends a stream that always has one more drop, just in time?",
    agent: slowCall,
    input: () => ({ model: "trickle" }),
    task: { timeout: { task: "2s" }, ...once },
    reply: () => ({
      type: "answer",
      text: "drop ".repeat(10_000),
      ignoreMaxTokens: true,
      delayMs: 100,
    }),
    calls: () => 1,
    guard: "watchdog",
    ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(2000),
  },
  {
    name: "failing-tool",
    question:
      "How often is a tool tried that always fails, by an agent that does not take no for an answer?",
    agent: failsTool,
    input: () => ({ rounds: 60 }),
    guard: "breaker",
    ends: [{ status: "COMPLETED" }, { status: "FAILED", reason: "loop" }],
    withinMs: withinMs(10_000),
    checks: [failuresWithin(({ failuresToOpen }) => failuresToOpen)],
  },
  {
    name: "flapping-tool",
    question: "And one that fails more often than it works?",
    agent: flappingTool,
    input: () => ({ parts: 24 }),
    cancelAt: isHeldBack,
    guard: "breaker",
    ends: [{ status: "CANCELLED" }],
    withinMs: withinMs(10_000),
    // Half of a window's calls may have failed when the other half says that it is half (BR-2).
    checks: [failuresWithin(({ failuresToOpen }) => 2 * failuresToOpen)],
  },
  {
    name: "provider-down",
    question: "How many calls reach a provider that answers every one with an error?",
    agent: sendsTooLate,
    input: () => ({ model: "provider-down", promptTokens: 20 }),
    task: once,
    reply: () => ({ type: "status", status: 500 }),
    cancelAt: isHeldBack,
    calls: ({ failuresToOpen }) => failuresToOpen,
    guard: "breaker",
    ends: [{ status: "CANCELLED" }],
    withinMs: withinMs(60_000),
  },
];
