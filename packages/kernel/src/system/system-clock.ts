import type { Clock, TimerHandle } from "../clock.ts";

/** Node fires a timer with a longer delay at once (measured), so longer ones are armed in slices. */
const longestTimerMs = 2 ** 31 - 1;

function setTimer(delayMs: number, fire: () => void): TimerHandle {
  let handle: ReturnType<typeof setTimeout>;
  const arm = (leftMs: number): void => {
    const sliceMs = Math.min(Math.max(0, leftMs), longestTimerMs);
    handle = setTimeout(() => (leftMs > sliceMs ? arm(leftMs - sliceMs) : fire()), sliceMs);
  };
  arm(delayMs);
  return { cancel: () => clearTimeout(handle) };
}

/** The real clock. Only a composition root names it. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer,
};
