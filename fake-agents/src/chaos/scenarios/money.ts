import { budgetBlowOut } from "../../agents/budget-blow-out.ts";
import { climbsContext } from "../../agents/climbs-context.ts";
import { slowCall } from "../../agents/slow-call.ts";
import type { Scenario } from "../scenario.ts";
import { withinMs } from "./bounds.ts";

const refused = {
  guard: "budget",
  ends: [{ status: "BUDGET_EXCEEDED", reason: "budget_refused", guard: "budget" }],
  withinMs: withinMs(10_000),
} as const satisfies Partial<Scenario>;

/** Work whose only fault is its bill. */
export const money: readonly Scenario[] = [
  {
    name: "budget-blow-out",
    question: "What does an agent cost that spends twice its estimate at each step?",
    agent: budgetBlowOut,
    input: () => ({ model: "budget-blow-out", maxOutputTokens: 100 }),
    task: { budget: { maxTokens: 1400 } },
    reply: ({ maxTokens = 100 }) => ({
      type: "answer",
      text: "more ".repeat(2 * maxTokens),
      ignoreMaxTokens: true,
    }),
    calls: () => 7,
    ...refused,
  },
  {
    name: "context-climber",
    question: "Who notices successes that cost more each time?",
    agent: climbsContext,
    input: () => ({ model: "context-climber" }),
    task: { budget: { maxTokens: 20_000 } },
    reply: ({ indexForModel }) => ({
      type: "answer",
      text: `Finding ${indexForModel}: ${"word ".repeat(40)}`,
    }),
    calls: () => 12,
    ...refused,
  },
  {
    name: "hammering",
    question: "How fast may a loop of cheap successes call?",
    agent: budgetBlowOut,
    input: () => ({ model: "hammering", maxOutputTokens: 20 }),
    reply: ({ indexForModel }) => ({ type: "answer", text: `Answer number ${indexForModel}.` }),
    calls: ({ callsPerMinute }) => callsPerMinute,
    guard: "governor",
    ends: [{ status: "FAILED", reason: "limit", guard: "governor" }],
    withinMs: withinMs(30_000),
  },
  {
    name: "no-bill",
    question: "What is booked when the provider forgets to say what it used?",
    agent: slowCall,
    input: () => ({ model: "no-bill" }),
    reply: () => ({ type: "answer", text: "Here you are.", usage: "missing" }),
    calls: () => 1,
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(5000),
  },
];
