import { answersLate } from "../../agents/answers-late.ts";
import { answersTwice } from "../../agents/answers-twice.ts";
import { readsSecrets } from "../../agents/reads-secrets.ts";
import { returnsGarbage } from "../../agents/returns-garbage.ts";
import { eventsOf } from "../evidence.ts";
import { villain } from "../scenario.ts";
import type { Scenario } from "../scenario.ts";
import { afterVerdict, once, withinMs } from "./bounds.ts";

/** Agents whose answer is the trouble. */
export const answers: readonly Scenario[] = [
  {
    name: "late-finisher",
    question: "Does an answer after the deadline change how the task ended?",
    agent: answersLate,
    input: () => ({ lateMs: 60_000 }),
    task: { timeout: { task: "1s" } },
    guard: "watchdog",
    ends: [{ status: "TIMED_OUT", reason: "task_timeout", guard: "watchdog" }],
    withinMs: afterVerdict(1000),
  },
  {
    name: "answers-twice",
    question: "Which of two answers counts?",
    agent: answersTwice,
    input: () => ({}),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(5000),
    checks: [
      {
        name: "the first answer counts",
        fault: ({ view }) => {
          const { villain: output } = (view.output ?? {}) as { villain?: { answer?: unknown } };
          return output?.answer === 42
            ? undefined
            : `the output is ${JSON.stringify(output ?? null)}`;
        },
      },
    ],
  },
  {
    name: "answers-nonsense",
    question: "What if the answer cannot be written down?",
    agent: returnsGarbage,
    input: () => ({ how: "circular" }),
    task: once,
    guard: "none",
    ends: [
      { status: "FAILED", reason: "output_invalid" },
      { status: "FAILED", reason: "agent_error" },
    ],
    withinMs: withinMs(5000),
  },
  {
    name: "answers-too-much",
    question: "Or is 32 MiB long?",
    agent: returnsGarbage,
    input: () => ({ how: "huge" }),
    task: once,
    guard: "limits",
    ends: [{ status: "FAILED", reason: "limit", guard: "limits" }],
    withinMs: withinMs(10_000),
  },
  {
    name: "speaks-no-protocol",
    question: "Or is no message at all?",
    agent: returnsGarbage,
    input: () => ({ how: "no-frame" }),
    guard: "none",
    ends: [{ status: "CRASHED", reason: "child_crashed" }],
    withinMs: withinMs(30_000),
  },
  {
    name: "thief",
    question: "What does an agent find that looks for keys in its environment?",
    agent: readsSecrets,
    input: () => ({}),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(5000),
    checks: [
      {
        name: "no key in reach",
        fault: ({ view, log, canary }) =>
          JSON.stringify([view.output, eventsOf({ log }, villain)]).includes(canary)
            ? "the provider's key was in its environment"
            : undefined,
      },
    ],
  },
];
