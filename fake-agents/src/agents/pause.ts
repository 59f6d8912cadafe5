import { setTimeout as pauseFor } from "node:timers/promises";

/** Waits; with a signal, no longer than until its abort, and then rejects with its reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await pauseFor(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
