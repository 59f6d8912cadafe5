import { createBus } from "@bridle/bus";
import { evaluateTemplate } from "@bridle/dag";
import { CodedError } from "@bridle/kernel";
import { Scheduler } from "@bridle/orchestrator";

import type { Running, Surroundings } from "./process.ts";

export interface SchedulerSurroundings extends Surroundings {
  /** Entries read at once, and decisions between snapshots. */
  readonly pages: number;
}

/**
 * Of two schedulers one is refused; a commit whose answer was lost is refused the second time, or found; another run took what the day had
 * left for a stand-in between the look and the commit. All load the run again.
 */
const expected =
  /(was refused \((version|lease|opening_refused)\)|was made all the same \(.*\)); the run is loaded again/;

export async function startScheduler(surroundings: SchedulerSurroundings): Promise<Running> {
  const { actor, store, queue, pages, onFault } = surroundings;
  const scheduler = new Scheduler({
    store,
    queue,
    expressions: {
      evaluate: async (template, bindings) => evaluateTemplate(template, bindings),
      close: async () => {},
    },
    bus: createBus({ onHandlerError: onFault }),
    clock: actor.clock,
    bootId: actor.bootId,
    settings: { snapshotEvery: pages, logPage: pages, inboxPage: pages, scanPage: pages },
    onError: (error) => {
      if (!isExpected(error)) onFault(error);
    },
  });
  await scheduler.start();
  return { stop: async () => scheduler.stop(), leftovers: () => [] };
}

function isExpected(error: unknown): boolean {
  if (CodedError.is(error)) return error.code === "store_unavailable";
  return error instanceof Error && expected.test(error.message);
}
