import { slowCall } from "../../agents/slow-call.ts";
import { worksLong } from "../../agents/works-long.ts";
import { worksThrough } from "../../agents/works-through.ts";
import type { WorksThroughInput } from "../../agents/works-through.ts";
import type { Scenario } from "../scenario.ts";
import { withinMs } from "./bounds.ts";

const completes = {
  guard: "none",
  ends: [{ status: "COMPLETED" }],
  withinMs: withinMs(30_000),
} as const satisfies Partial<Scenario>;

function through(shape: WorksThroughInput["shape"], question: string): Scenario {
  return {
    name: `works-through-${shape}`,
    question,
    agent: worksThrough,
    input: () => ({ shape }),
    ...completes,
  };
}

/** Work that looks like trouble to whoever only counts: no guard may stop any of it. */
export const goodWork: readonly Scenario[] = [
  {
    name: "works-long",
    question: "Is long work that advances left alone, past every stall bound?",
    agent: worksLong,
    input: () => ({ steps: 48, stepMs: 250 }),
    ...completes,
  },
  through("pages", "Are sixty pages read one by one a loop?"),
  through("polls", "Is asking a job fifty times whether it is done a loop?"),
  through("writes", "Are sixty writes that all say ok a loop?"),
  through("changes", "Is change, test, change, test a loop?"),
  {
    name: "long-stream",
    question: "Is a stream that takes its time, and says something all the while, left alone?",
    agent: slowCall,
    input: () => ({ model: "long-stream" }),
    task: { timeout: { step: "2s" } },
    reply: () => ({ type: "answer", text: "a word ".repeat(80), delayMs: 100 }),
    calls: () => 1,
    ...completes,
  },
];
