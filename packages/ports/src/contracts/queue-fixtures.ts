import type { Job } from "@bridle/protocol";
import { asTaskId } from "@bridle/protocol";
import { expect } from "vitest";

import { newRunId } from "./contract-fixtures.ts";

/** How long a job may take to arrive on a slow machine. */
export const patienceMs = 20_000;

let agents = 0;
export const freshAgent = (): string => `agent-${++agents}`;
export const jobOf = (attempt = 1, task = "a"): Job => ({
  runId: newRunId(),
  taskId: asTaskId(task),
  attempt,
});
export const keyOf = ({ runId, taskId, attempt }: Job): string => `${runId} ${taskId} ${attempt}`;

/** A handler that keeps what it was given. */
export function collector() {
  const taken: Job[] = [];
  return {
    taken,
    handler: async (job: Job) => {
      taken.push(job);
    },
    reaches: (count: number) =>
      expect.poll(() => taken.length, { timeout: patienceMs }).toBe(count),
  };
}

/** A promise and what resolves it. */
export function gate() {
  const opener: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    opener.open = resolve;
  });
  return { opened, open: () => opener.open?.() };
}
