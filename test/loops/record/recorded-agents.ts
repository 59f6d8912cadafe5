import type { AnyAgent } from "@bridle/agent";
import {
  alternatesTools,
  failsTool,
  flappingTool,
  repeatsTool,
  talksInCircles,
  worksThrough,
} from "@bridle/fake-agents/agents";

import type { Trace } from "../trace.ts";

/** What is recorded of one of the cast: its work, and a person's word on it. */
export interface Recorded extends Pick<Trace, "name" | "label" | "why" | "loopStartsAt"> {
  readonly agent: AnyAgent;
  readonly input: unknown;
}

/*
 * `dead-loop` and `alternates-steps` are not here: they make no calls, so there is nothing to compare. The stall rule has them.
 */

const loops: readonly Recorded[] = [
  {
    name: "repeats-tool",
    label: "loop",
    why: "The same call, the same result, for ever.",
    loopStartsAt: 1,
    agent: repeatsTool,
    input: {},
  },
  {
    name: "repeats-tool-paraphrasing",
    label: "loop",
    why: "Ever other words, the same result.",
    loopStartsAt: 1,
    agent: repeatsTool,
    input: { paraphrases: true },
  },
  {
    name: "alternates-tools",
    label: "loop",
    why: "Two calls in turn, neither with news.",
    loopStartsAt: 2,
    agent: alternatesTools,
    input: {},
  },
  {
    name: "fails-tool",
    label: "loop",
    why: "A tool that is down, asked in other words again and again.",
    loopStartsAt: 1,
    agent: failsTool,
    input: { rounds: 60 },
  },
  {
    name: "flapping-tool-forgetting",
    label: "loop",
    why: "The same part is fetched for ever; every second try fails.",
    loopStartsAt: 2,
    agent: flappingTool,
    input: { forgets: true },
  },
  {
    name: "talks-in-circles",
    label: "loop",
    why: "The model announces the report for ever.",
    loopStartsAt: 1,
    agent: talksInCircles,
    input: {},
  },
];

const shapes = {
  pages: "Page by page, each another one.",
  polls: "A polling tool until its answer changes.",
  writes: "Sixty writes that each say ok.",
  changes: "Change and test in turn; most tests say what the one before said.",
} as const;

const good: readonly Recorded[] = [
  ...Object.entries(shapes).map(([shape, why]): Recorded => {
    return {
      name: `works-through-${shape}`,
      label: "good",
      why,
      agent: worksThrough,
      input: { shape },
    };
  }),
  {
    name: "flapping-tool",
    label: "good",
    why: "Each part comes through after at most three failures, and the next one follows.",
    agent: flappingTool,
    input: { parts: 32 },
  },
];

export const recordedAgents: readonly Recorded[] = [...good, ...loops];
