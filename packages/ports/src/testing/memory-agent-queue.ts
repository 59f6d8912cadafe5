import { jobId } from "@bridle/protocol";
import type { Job } from "@bridle/protocol";

import type { JobHandler, QueuedJob } from "../task-queue.ts";

export interface AgentWorker {
  readonly concurrency: number;
  readonly handler: JobHandler;
  readonly inHand: Set<Promise<void>>;
}

/** The jobs of one agent: who waits, who is in hand, who may take the next one. */
export class MemoryAgentQueue {
  readonly #waiting: QueuedJob[] = [];
  readonly #active = new Map<string, number>();
  readonly #workers = new Set<AgentWorker>();
  readonly #onError: (error: unknown, job: Job) => void;

  constructor(onError: (error: unknown, job: Job) => void) {
    this.#onError = onError;
  }

  /** Waiting, or in some worker's hand. */
  has(job: Job): boolean {
    const id = jobId(job);
    return this.#active.has(id) || this.#waiting.some((other) => jobId(other.job) === id);
  }

  /** Before the first job of a higher number, so behind all of its own priority. */
  add(job: QueuedJob): void {
    const priority = job.priority ?? 0;
    const index = this.#waiting.findIndex((other) => (other.priority ?? 0) > priority);
    this.#waiting.splice(index === -1 ? this.#waiting.length : index, 0, job);
    void this.#deliver();
  }

  remove(job: Job): void {
    const id = jobId(job);
    const others = this.#waiting.filter((other) => jobId(other.job) !== id);
    this.#waiting.splice(0, this.#waiting.length, ...others);
  }

  join(worker: AgentWorker): void {
    this.#workers.add(worker);
    void this.#deliver();
  }

  leave(worker: AgentWorker): void {
    this.#workers.delete(worker);
  }

  close(): void {
    this.#workers.clear();
    this.#waiting.length = 0;
  }

  async #deliver(): Promise<void> {
    await Promise.resolve();
    for (const worker of this.#workers) {
      while (worker.inHand.size < worker.concurrency) {
        const next = this.#waiting.shift();
        if (next === undefined) return;
        this.#start(worker, next.job);
      }
    }
  }

  #start(worker: AgentWorker, job: Job): void {
    const id = jobId(job);
    this.#active.set(id, (this.#active.get(id) ?? 0) + 1);
    const running = this.#handle(worker, job).then(() => {
      worker.inHand.delete(running);
      const left = (this.#active.get(id) ?? 1) - 1;
      if (left === 0) this.#active.delete(id);
      else this.#active.set(id, left);
      return this.#deliver();
    });
    worker.inHand.add(running);
  }

  async #handle(worker: AgentWorker, job: Job): Promise<void> {
    try {
      await worker.handler(job);
    } catch (error) {
      this.#onError(error, job);
    }
  }
}
