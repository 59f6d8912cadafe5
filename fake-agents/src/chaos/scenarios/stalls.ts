import { alternatesSteps } from "../../agents/alternates-steps.ts";
import { beatsForAnother } from "../../agents/beats-for-another.ts";
import { deadLoop } from "../../agents/dead-loop.ts";
import { goesSilent } from "../../agents/goes-silent.ts";
import { waitsForEver } from "../../agents/waits-for-ever.ts";
import type { Scenario } from "../scenario.ts";
import { afterVerdict, withinMs } from "./bounds.ts";

/** WD-5, with no step in hand. */
const stallMs = 10_000;

/** Tasks that look alive, or do not, and get nowhere. */
export const stalls: readonly Scenario[] = [
  {
    name: "dead-loop",
    question: "Who notices an agent that beats all the time and never advances?",
    agent: deadLoop,
    input: () => ({ beatMs: 200 }),
    guard: "watchdog",
    ends: [{ status: "FAILED", reason: "stalled", guard: "watchdog" }],
    withinMs: afterVerdict(stallMs),
  },
  {
    name: "step-ping-pong",
    question: "Does going to and fro between two steps count as progress?",
    agent: alternatesSteps,
    input: () => ({ beatMs: 200 }),
    guard: "watchdog",
    ends: [{ status: "FAILED", reason: "stalled", guard: "watchdog" }],
    withinMs: afterVerdict(stallMs),
  },
  {
    name: "silent-hang",
    question: "Who ends a task whose promise never settles?",
    agent: goesSilent,
    input: () => ({}),
    task: { timeout: { task: "1s" } },
    guard: "watchdog",
    ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(1000),
  },
  {
    name: "beats-for-another",
    question: "Can a task keep itself, or another, alive with beats in a foreign name?",
    agent: beatsForAnother,
    input: () => ({}),
    task: { timeout: { task: "1s" } },
    guard: "watchdog",
    ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(1000),
  },
  {
    name: "waits-for-ever",
    question: "Who ends a task that says it is waiting, until the end of time?",
    agent: waitsForEver,
    input: () => ({}),
    run: { timeout: { run: "8s" } },
    guard: "watchdog",
    ends: [{ status: "CANCELLED" }, { status: "TIMED_OUT" }],
    withinMs: withinMs(8000),
  },
];
