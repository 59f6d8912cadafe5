import type { Clock, TimerHandle } from "@bridle/kernel";

import type { Isolate } from "../isolates/isolate.ts";

export interface MemoryWatchOptions {
  readonly clock: Clock;
  readonly isolate: Pick<Isolate, "residentBytes">;
  readonly limitBytes: number;
  /** Called once. */
  readonly onExceeded: (bytes: number) => void;
}

const everyMs = 1000;

/**
 * Looks at the resident memory of a child and all that it started, once a second (X5). A flag of Node's would bound only its own heap, and costs 18 ms per start
 * (measured). Returns the function that ends it.
 */
export function watchMemory({
  clock,
  isolate,
  limitBytes,
  onExceeded,
}: MemoryWatchOptions): () => void {
  let timer: TimerHandle;
  const look = (): void => {
    const bytes = isolate.residentBytes();
    if (bytes !== undefined && bytes > limitBytes) {
      onExceeded(bytes);
      return;
    }
    timer = clock.setTimer(everyMs, look);
  };
  timer = clock.setTimer(everyMs, look);
  return () => timer.cancel();
}
