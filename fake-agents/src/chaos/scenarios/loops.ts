import { alternatesTools } from "../../agents/alternates-tools.ts";
import { repeatsTool } from "../../agents/repeats-tool.ts";
import { talksInCircles } from "../../agents/talks-in-circles.ts";
import type { Scenario } from "../scenario.ts";
import { afterVerdict } from "./bounds.ts";

const looped = {
  guard: "watchdog",
  ends: [{ status: "FAILED", reason: "loop", guard: "watchdog" }],
  endsInGrace: [
    { status: "BUDGET_EXCEEDED", reason: "budget_refused", guard: "budget" },
    { status: "FAILED", reason: "limit" },
  ],
  withinMs: afterVerdict(3000),
} as const satisfies Partial<Scenario>;

/** Work that moves and goes nowhere: the step number rises, the results do not change (WD-18). */
export const loops: readonly Scenario[] = [
  {
    name: "real-loop",
    question: "Is the same call with the same result, again and again, seen as a loop?",
    agent: repeatsTool,
    input: () => ({}),
    ...looped,
  },
  {
    name: "paraphraser",
    question: "And when the arguments are worded differently each time?",
    agent: repeatsTool,
    input: () => ({ paraphrases: true }),
    ...looped,
  },
  {
    name: "tool-ping-pong",
    question: "And when two tools without news take turns?",
    agent: alternatesTools,
    input: () => ({}),
    ...looped,
  },
  {
    name: "talks-in-circles",
    question: "How often may a model say the same thing before its conversation ends?",
    agent: talksInCircles,
    input: () => ({ model: "talks-in-circles" }),
    reply: () => ({ type: "answer", text: "I am on it, and will report shortly." }),
    calls: ({ graceMs, callsPerMinute }) => (graceMs > 0 ? callsPerMinute : 12),
    ...looped,
  },
];
