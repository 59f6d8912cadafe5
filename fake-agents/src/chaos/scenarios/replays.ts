import { lacksOneStep } from "../../agents/lacks-one-step.ts";
import { sendsTooLate } from "../../agents/sends-too-late.ts";
import type { Scenario } from "../scenario.ts";
import { isHeldBack, once, withinMs } from "./bounds.ts";

/** The article counted 761 paid calls within one minute, for 20 to 30 dollars; 1,384 in its worst one. */
const minuteMs = 60_000;
const paidCalls = 761;
/** So large that those calls cost what they did: 761 × 105,000 tokens at $0.25 per million are $19.98. */
const sessionTokens = 105_000;
const sessionPrice = { inputUsdPerMillion: 0.25, outputUsdPerMillion: 1.25 };

/** Nothing in the article says what a token cost there. */
const stepTokens = 4000;

/** The two incidents that the guards are for. */
export const replays: readonly Scenario[] = [
  {
    name: "twenty-dollar-minute",
    question:
      "After an idle timeout each attempt starts with its deadline passed: how many are paid for?",
    agent: sendsTooLate,
    input: ({ guards, providerUrl }) => ({
      model: "twenty-dollar-minute",
      promptTokens: sessionTokens,
      ...(guards === "on"
        ? {}
        : { naive: { url: providerUrl, forMs: minuteMs, everyMs: (minuteMs - 2000) / paidCalls } }),
    }),
    task: { timeout: { step: "500ms" }, ...once },
    price: sessionPrice,
    reply: () => ({ type: "hang", at: "headers" }),
    cancelAt: isHeldBack,
    calls: () => 5,
    guard: "breaker",
    ends: [
      { status: "CANCELLED" },
      { status: "BUDGET_EXCEEDED" },
      { status: "FAILED", reason: "step_timeout" },
      { status: "FAILED", reason: "loop" },
    ],
    withinMs: withinMs(60_000),
    offMs: minuteMs + 20_000,
  },
  {
    name: "night-loop",
    question:
      "A sub-agent always lacks one last step: how many of its 4,000-token steps does a million tokens pay for?",
    agent: lacksOneStep,
    input: () => ({ model: "night-loop" }),
    task: { budget: { maxTokens: 1_000_000 } },
    run: { budget: { maxTokens: 10_000_000, maxUsd: 1000, maxCalls: 10_000 } },
    reply: ({ indexForModel }) => ({
      type: "answer",
      text: `Almost: part ${indexForModel} is done, and one last step is missing.`,
      usage: { prompt_tokens: 100, completion_tokens: stepTokens - 100, total_tokens: stepTokens },
    }),
    calls: ({ callsPerMinute }) => Math.min(225, callsPerMinute),
    guard: "budget",
    ends: [
      { status: "BUDGET_EXCEEDED", reason: "budget_refused", guard: "budget" },
      { status: "FAILED", reason: "limit", guard: "governor" },
    ],
    withinMs: withinMs(60_000),
    offMs: minuteMs,
  },
];
