import type { Clock } from "@bridle/kernel";
import { systemClock } from "@bridle/kernel/system";

/** Longest pause between tries that anything here makes; every limit on silence is longer. */
const longestPauseMs = 40_000;

/** Pauses between tries are over at once, limits on silence never pass. For what comes from memory, without a network. */
export const impatientClock: Clock = {
  monotonicMs: () => systemClock.monotonicMs(),
  wallMs: () => systemClock.wallMs(),
  setTimer: (ms, callback) => {
    if (ms > longestPauseMs) return { cancel: () => undefined };
    const timer = setImmediate(callback);
    return { cancel: () => clearImmediate(timer) };
  },
};
