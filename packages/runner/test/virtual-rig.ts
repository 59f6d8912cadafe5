import { defineAgent } from "@bridle/agent";
import type { AgentContext, AgentOptions, AnyAgent } from "@bridle/agent";
import { sequenceIds, SimulatedClock } from "@bridle/kernel/testing";

import { createRig } from "./rig.ts";
import type { Rig, RigOptions, RunningTask, TaskToRun } from "./rig.ts";

export interface VirtualRig extends Rig {
  readonly clock: SimulatedClock;
  /** Dispatches and lets virtual time pass until it has ended, ten minutes at most. */
  runToEnd(task: TaskToRun): Promise<RunningTask>;
  /** Ends the runner without waiting for its tasks, and its breakers. */
  close(): Promise<void>;
}

/** A runner on memory adapters in virtual time, with inline agents: the same supervisor code, no process. */
export async function createVirtualRig(
  options: Omit<RigOptions, "clock" | "ids">,
): Promise<VirtualRig> {
  const clock = new SimulatedClock();
  const rig = await createRig({ ...options, clock, ids: sequenceIds() });
  await rig.runner.start();
  return {
    ...rig,
    clock,
    runToEnd: async (task) => {
      const running = await rig.dispatch(task);
      await untilEnded(rig, clock, running);
      return running;
    },
    close: async () => {
      const stopping = rig.runner.stop(0);
      await clock.advanceAsync(30_000);
      await stopping;
      rig.breakers.close();
    },
  };
}

/** Lets virtual time pass until the attempt has ended. */
export async function untilEnded(
  rig: Rig,
  clock: SimulatedClock,
  task: RunningTask,
  attempt = 1,
): Promise<void> {
  for (let seconds = 0; seconds < 900; seconds++) {
    // oxlint-disable-next-line no-await-in-loop -- time passes step by step
    if ((await rig.outcome(task, attempt)) !== undefined) return;
    // oxlint-disable-next-line no-await-in-loop -- see above
    await clock.advanceAsync(1000);
  }
  throw new Error("The task did not end within fifteen minutes of virtual time.");
}

/** An inline agent in one line. */
export function inlineAgent(
  name: string,
  run: (context: AgentContext, input: never) => unknown,
  more: Partial<AgentOptions<never, unknown>> = {},
): AnyAgent {
  return defineAgent<never>({
    name,
    module: import.meta.url,
    isolation: "inline",
    trusted: true,
    run: (context, input) => run(context, input),
    ...more,
  });
}
