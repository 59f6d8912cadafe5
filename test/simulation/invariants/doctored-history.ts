/** Histories for the tests of invariants: only what they read, the rest of an entry is nothing to them. */
import type { CompiledWorkflow } from "@bridle/dag";
import type { LogEntry } from "@bridle/protocol";

import type { Invariant, Observation } from "./observation.ts";

export const runId = "run_1";
export const who = { runId, taskId: "a", attempt: 1 };

/** The first sentence of a history; undefined when it is a good one. */
export function judge(invariant: Invariant, history: readonly Observation[]): string | undefined {
  return history.map((seen) => invariant(seen)).find((fault) => fault !== undefined);
}

/** Entries of a log, numbered from 1. */
export function log(
  ...entries: readonly (readonly [LogEntry["type"], object?])[]
): readonly Observation[] {
  return entries.map(([type, fields], index) => ({
    type: "entry",
    runId,
    entry: { type, at: 0, runId, seq: index + 1, ...fields } as LogEntry,
  }));
}

/** A call of its first step is let out: hold `h1`, nothing against it. */
export function dispatched(changes: object = {}): Observation {
  return {
    type: "dispatched",
    ...who,
    step: 1,
    holdId: "h1",
    fence: 1,
    isClosed: false,
    open: [],
    ...changes,
  };
}

/** The call itself, as the provider sees it. */
export const sent: Observation = {
  type: "sent",
  ...who,
  step: 1,
  call: 0,
  target: "north/large",
  atMs: 0,
};

export interface Edge {
  readonly task: string;
  readonly when: "completed" | "failed" | "always";
}

/** A run of two tasks, `a` and `b`, of which `b` waits as it is told. Two attempts each. */
export function submitted(dependsOn: readonly Edge[] = [], more: object = {}): Observation {
  const task = { agent: "alpha", retry: { maxAttempts: 2 } };
  const tasks = [
    { ...task, id: "a", dependsOn: [] },
    { ...task, id: "b", dependsOn, ...more },
  ];
  return {
    type: "submitted",
    runId,
    workflow: { name: "w", tasks } as unknown as CompiledWorkflow,
  };
}
