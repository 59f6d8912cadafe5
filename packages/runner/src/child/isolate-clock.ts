import type { Clock } from "@bridle/kernel";

/** The time of an isolate, a process or a thread of its own: the system's. */
export const isolateClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
