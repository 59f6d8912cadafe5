import { crashes } from "../../agents/crashes.ts";
import { floodsOutput } from "../../agents/floods-output.ts";
import { hogsMemory } from "../../agents/hogs-memory.ts";
import { ignoresCancel } from "../../agents/ignores-cancel.ts";
import { ignoresSigterm } from "../../agents/ignores-sigterm.ts";
import { leavesGrandchild } from "../../agents/leaves-grandchild.ts";
import { spins } from "../../agents/spins.ts";
import type { Scenario } from "../scenario.ts";
import { afterTries, afterVerdict, withinMs } from "./bounds.ts";

const timedOut = {
  task: { timeout: { task: "1s" } },
  guard: "watchdog",
  ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
  withinMs: afterVerdict(1000),
} as const satisfies Partial<Scenario>;

const crashed = {
  guard: "none",
  ends: [{ status: "CRASHED", reason: "child_crashed" }],
  withinMs: withinMs(30_000),
} as const satisfies Partial<Scenario>;

/** What an agent can do to a process, and what is left of it. */
export const isolates: readonly Scenario[] = [
  {
    name: "spins",
    question: "Who ends `while (true)`, where no message arrives?",
    agent: spins,
    input: () => ({ how: "sync" }),
    ...timedOut,
  },
  {
    name: "spins-on-microtasks",
    question: "And a promise chain that starves every timer?",
    agent: spins,
    input: () => ({ how: "microtasks" }),
    ...timedOut,
  },
  {
    name: "blocks-in-native-code",
    question: "And a system call that does not return?",
    agent: spins,
    input: () => ({ how: "native" }),
    ...timedOut,
  },
  {
    name: "ignores-cancel",
    question: "What becomes of an agent that hears it is to stop, and goes on?",
    agent: ignoresCancel,
    input: () => ({}),
    ...timedOut,
  },
  {
    name: "ignores-sigterm",
    question: "And of one that answers the signal with a shrug?",
    agent: ignoresSigterm,
    input: () => ({}),
    ...timedOut,
  },
  {
    name: "grandchild",
    question: "Does a process that the agent started outlive it?",
    agent: leavesGrandchild,
    input: () => ({ stays: true }),
    ...timedOut,
  },
  {
    name: "escaped-grandchild",
    question: "And one that left for a session of its own?",
    agent: leavesGrandchild,
    input: () => ({ stays: true, detached: true }),
    ...timedOut,
  },
  {
    name: "grandchild-left-behind",
    question: "And when the agent answers in time, as if nothing had been?",
    agent: leavesGrandchild,
    input: () => ({ detached: true }),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(5000),
  },
  {
    name: "memory-hog",
    question: "How large may an agent's process grow?",
    agent: hogsMemory,
    input: () => ({ megabytes: 16_384 }),
    guard: "limits",
    ends: [{ status: "CRASHED" }, { status: "FAILED" }],
    withinMs: afterTries(3, 5000),
  },
  {
    name: "exits",
    question: "What if the agent ends its own process?",
    agent: crashes,
    input: () => ({ how: "exit" }),
    ...crashed,
  },
  {
    name: "aborts",
    question: "Or its process dies of a signal?",
    agent: crashes,
    input: () => ({ how: "abort" }),
    ...crashed,
  },
  {
    name: "unhandled-rejection",
    question: "Or a promise fails that nobody waits for?",
    agent: crashes,
    input: () => ({ how: "unhandled" }),
    ...crashed,
  },
  {
    name: "stack-overflow",
    question: "Or it recurses without end?",
    agent: crashes,
    input: () => ({ how: "stack" }),
    task: { retry: { maxAttempts: 1 } },
    guard: "none",
    ends: [{ status: "FAILED", reason: "agent_error" }, { status: "CRASHED" }],
    withinMs: withinMs(5000),
  },
  {
    name: "floods-stdout",
    question: "Does an agent that prints without end take the worker, or the log, with it?",
    agent: floodsOutput,
    input: () => ({ megabytes: 16, where: "stdout" }),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(20_000),
  },
  {
    name: "floods-its-log",
    question: "Or one that logs without end?",
    agent: floodsOutput,
    input: () => ({ megabytes: 16, where: "log" }),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(20_000),
  },
];
