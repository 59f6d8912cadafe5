/** What a process of the world is made of, and what runs in it. */
import type { Store, TaskQueue } from "@bridle/ports";

import type { Actor } from "./actor.ts";

/** A started process. */
export interface Running {
  /** Asked to stop as an operator does; resolves when it has. */
  stop(): Promise<void>;
  /** Permits and calls it still holds, in words; empty when it is clean. */
  leftovers(): readonly string[];
}

export interface Surroundings {
  readonly actor: Actor;
  readonly store: Store;
  readonly queue: TaskQueue;
  /** An error that its product code reported and that no fault of the world explains. */
  readonly onFault: (error: unknown) => void;
}
