import type { StepJournal } from "../attempts.ts";
import { taskOf, unfencedRun } from "./memory-state.ts";
import type { MemoryState } from "./memory-state.ts";

/** `StepJournal` on shared memory. */
export function memorySteps(state: MemoryState): StepJournal {
  return {
    begin: async (spender, name) => {
      const run = unfencedRun(state, spender);
      if (run === undefined) return { state: "fenced" };
      const { steps } = taskOf(run, spender.taskId);
      const known = steps.get(name);
      if (known?.result !== undefined) return { state: "done", result: known.result };
      if (known) return { state: known.attempt < spender.attempt ? "begun" : "new" };
      steps.set(name, { attempt: spender.attempt, result: undefined });
      return { state: "new" };
    },
    save: async (spender, name, result) => {
      const run = unfencedRun(state, spender);
      if (run === undefined) return false;
      const { steps } = taskOf(run, spender.taskId);
      const known = steps.get(name);
      if (known === undefined) steps.set(name, { attempt: spender.attempt, result });
      else known.result ??= result;
      return true;
    },
  };
}
