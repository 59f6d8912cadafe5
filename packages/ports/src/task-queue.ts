import type { Job } from "@bridle/protocol";

export interface QueuedJob {
  readonly agent: string;
  readonly job: Job;
  /** 1 first; 0 or absent before all. */
  readonly priority?: number | undefined;
}

export interface QueueWorker {
  /** Stops taking jobs; resolves when those in hand are done, or after `graceMs` whatever they do. */
  close(graceMs: number): Promise<void>;
}

/**
 * Contract for the handler: runs once per delivered job; its promise settling frees the slot, and a rejection is only
 * logged: results never travel through the queue.
 */
export type JobHandler = (job: Job) => Promise<void>;

/** Wakes workers. Jobs carry ids only; losing or doubling one changes nothing but time. */
export interface TaskQueue {
  enqueue(jobs: readonly QueuedJob[]): Promise<void>;
  work(
    agent: string,
    options: { readonly concurrency: number; readonly handler: JobHandler },
  ): Promise<QueueWorker>;
  remove(agent: string, job: Job): Promise<void>;
  close(): Promise<void>;
}
