import type { LoopReaction } from "@bridle/watchdog";

import type { Played } from "./play-trace.ts";

/** How a set of traces came out. */
export interface Score {
  readonly good: number;
  readonly loops: number;
  /** Good traces that were given a hint, refused a call, stopped. */
  readonly falselyNudged: readonly string[];
  readonly falselyRefused: readonly string[];
  readonly falselyStopped: readonly string[];
  /** Loops that ran to their end. */
  readonly missed: readonly string[];
  /** Of the traces that were stopped, the share that are loops. */
  readonly precision: number;
  /** Of the loops, the share that was stopped. */
  readonly recall: number;
}

export function scoreOf(played: readonly Played[]): Score {
  const good = played.filter(({ trace }) => trace.label === "good");
  const loops = played.filter(({ trace }) => trace.label === "loop");
  const stopped = played.filter(({ isStopped }) => isStopped);
  const caught = loops.filter(({ isStopped }) => isStopped);
  return {
    good: good.length,
    loops: loops.length,
    falselyNudged: names(good.filter(({ told }) => told.length > 0)),
    falselyRefused: names(good.filter(({ refused }) => refused > 0)),
    falselyStopped: names(good.filter(({ isStopped }) => isStopped)),
    missed: names(loops.filter(({ isStopped }) => !isStopped)),
    precision: share(caught.length, stopped.length),
    recall: share(caught.length, loops.length),
  };
}

/** Steps from the start of the waste until a reaction came, that one included; undefined if it never came. */
export function wastedUntil({ trace, told }: Played, reaction: LoopReaction): number | undefined {
  const { loopStartsAt } = trace;
  const heard = told.find((one) => one.reaction === reaction && one.step >= (loopStartsAt ?? 0));
  return loopStartsAt === undefined || heard === undefined
    ? undefined
    : heard.step - loopStartsAt + 1;
}

function names(played: readonly Played[]): readonly string[] {
  return played.map(({ trace }) => trace.name);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
