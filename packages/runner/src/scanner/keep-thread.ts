import { Worker } from "node:worker_threads";

import type { TimerHandle } from "@bridle/kernel";

export interface KeptThread<Message> {
  /** Path of plain JavaScript. */
  readonly entry: string;
  readonly data: unknown;
  readonly onMessage: (message: Message) => void;
  readonly onFailure: (message: string) => void;
  /** When to try again. */
  readonly later: (retry: () => void) => TimerHandle;
}

/**
 * Keeps one thread running until it is stopped: one that breaks or ends is replaced. It keeps no process alive. For the
 * scanner that loses nothing but the count of scans in a row, since the memory is the owner's.
 */
export function keepThread<Message>(thread: KeptThread<Message>): { stop(): Promise<void> } {
  let worker: Worker;
  let retry: TimerHandle | undefined;
  let isStopped = false;
  const start = (): void => {
    // A thread of its own conditions and flags: it runs what was built, whatever this process was started with.
    worker = new Worker(thread.entry, { workerData: thread.data, execArgv: [], name: "watchdog" });
    let failure = "the thread ended";
    worker.on("message", thread.onMessage);
    worker.on("error", (error: Error) => {
      failure = error.message;
    });
    worker.on("exit", () => {
      if (isStopped) return;
      retry = thread.later(start);
      thread.onFailure(failure);
    });
    worker.unref();
  };
  start();
  return {
    stop: async () => {
      isStopped = true;
      retry?.cancel();
      await worker.terminate();
    },
  };
}
