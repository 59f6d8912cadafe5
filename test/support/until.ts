import { inspect } from "node:util";

import { TestRunner } from "vitest";

export interface UntilOptions {
  /** What is awaited, for the reader of a failure. Default: the condition's own source. */
  readonly what?: string;
  /** Default: to just before the end of the test's own time. */
  readonly withinMs?: number;
}

/** Before the runner gives up, so that its "timed out" does not come first. */
const marginMs = 300;
/** In a hook nobody says how much time there is: after so long it is told what is awaited, and awaited further. */
const patienceInHooksMs = 30_000;

/**
 * Waits for a condition, never for a duration. A condition that throws ends the wait: it says that there is nothing to wait
 * for. Out of time it fails with what was awaited, for how long, and what the condition said last.
 */
export async function until(
  condition: () => unknown,
  { what = sourceOf(condition), withinMs }: UntilOptions = {},
): Promise<void> {
  const startedMs = performance.now();
  const wait = { isOver: false, last: undefined as unknown };
  const complaint = (): string => {
    const waitedMs = Math.round(performance.now() - startedMs);
    return `Waited ${waitedMs} ms for: ${what}. It last said ${inspect(wait.last, { depth: 2 })}.`;
  };
  const deadline = startDeadline(withinMs ?? timeLeftMs(), complaint);
  try {
    await Promise.race([poll(condition, wait), deadline.passed]);
  } finally {
    wait.isOver = true;
    deadline.clear();
  }
}

async function poll(
  condition: () => unknown,
  wait: { isOver: boolean; last: unknown },
): Promise<void> {
  while (!wait.isOver) {
    // oxlint-disable-next-line no-await-in-loop -- polling is the point
    wait.last = await condition();
    if (wait.last) return;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Passes by rejecting, also while the condition itself hangs. */
function startDeadline(limitMs: number | undefined, complaint: () => string) {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    const act = (): void => {
      if (limitMs === undefined) process.stderr.write(`${complaint()}\n`);
      else reject(new Error(complaint()));
    };
    timer = setTimeout(act, limitMs ?? patienceInHooksMs);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

function timeLeftMs(): number | undefined {
  const test = TestRunner.getCurrentTest();
  const startedAt = test?.result?.startTime;
  if (test === undefined || startedAt === undefined) return undefined;
  return Math.max(0, startedAt + test.timeout - marginMs - Date.now());
}

function sourceOf(condition: () => unknown): string {
  const source = String(condition)
    .replace(/^(async )?\(\) => /, "")
    .replaceAll(/\s+/g, " ");
  return source.length > 200 ? `${source.slice(0, 200)}…` : source;
}
