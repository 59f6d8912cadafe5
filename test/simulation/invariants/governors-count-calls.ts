import type { Invariant } from "./observation.ts";

/** GV-1 allows ten a second; agents of the world have at most four calls on their way at once. */
const fewest = 6;

/** GC-5. A task is governed for the calls it sent: what a later guard refused was given back. */
export function governorsCountCalls(): Invariant {
  const sent = new Map<string, number>();
  return (seen) => {
    if (seen.type === "sent") {
      const task = `${seen.runId}/${seen.taskId}`;
      sent.set(task, (sent.get(task) ?? 0) + 1);
    }
    if (seen.type !== "entry" || seen.entry.type !== "governor.refused") return undefined;
    const task = `${seen.runId}/${seen.entry.taskId}`;
    const count = sent.get(task) ?? 0;
    return count < fewest ? `${task} was governed after ${count} calls.` : undefined;
  };
}
