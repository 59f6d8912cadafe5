import { villain } from "../scenario.ts";
import type { Check, ImpliedLimits } from "../scenario.ts";

/** Process start, two scans and what a machine busy with the other scenarios needs. Generous: what is not stopped never ends. */
const machineMs = 12_000;

/** A verdict due after `dueMs`, then the cancel and the kill; grace may put it off. */
export function afterVerdict(dueMs: number): (limits: ImpliedLimits) => number {
  return ({ graceMs, cancelGraceMs }) => Math.max(dueMs, graceMs) + cancelGraceMs + machineMs;
}

/** Of `tries` attempts with retries, each with `dueMs`. */
export function afterTries(tries: number, dueMs: number): (limits: ImpliedLimits) => number {
  return (limits) => tries * afterVerdict(dueMs)(limits);
}

/** For what no verdict ends: a refusal, a crash, its own result. */
export function withinMs(dueMs: number): (limits: ImpliedLimits) => number {
  return () => dueMs + machineMs;
}

/** One attempt: what is under test is the stop, not the retry. */
export const once = { retry: { maxAttempts: 1 } } as const;

/** A breaker holds the villain back: it waits at the refused step or is parked, and costs nothing any more. */
export function isHeldBack(event: Readonly<Record<string, unknown>>): boolean {
  if (event["taskId"] !== villain) return false;
  const isWaiting =
    event["type"] === "task.waiting" && /^(?:provider|agent|tool):/.test(String(event["on"]));
  return isWaiting || event["type"] === "task.parked";
}

/** Failures of tool calls that were let through, held against what may open a breaker. */
export function failuresWithin(most: (limits: ImpliedLimits) => number): Check {
  return {
    name: "tries of a broken tool",
    fault: ({ log }, limits) => {
      const tries = log.filter(
        ({ type, kind, outcome }) =>
          type === "step.finished" && kind === "tool" && outcome === "failure",
      ).length;
      const bound = most(limits);
      return tries <= bound ? undefined : `${tries} were let through; the bound is ${bound}`;
    },
  };
}
