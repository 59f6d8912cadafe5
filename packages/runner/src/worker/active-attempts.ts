import type { StopOrder } from "@bridle/ports";
import { bridleError, jobId } from "@bridle/protocol";
import type { Job } from "@bridle/protocol";

import type { WatchVerdict } from "../scanner/scanner.ts";
import type { StopRequest } from "../supervision/attempt-scope.ts";
import type { Attempt } from "../supervision/attempt.ts";

interface Active {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly running: Promise<void>;
}

/** What this worker runs now, and the ways to reach it: orders by job, verdicts by watch. */
export class ActiveAttempts {
  readonly #active = new Map<string, Active>();
  readonly #inHand = new Map<string, number>();
  /** Stops whatever is added from now on, too. */
  #standing: StopRequest | undefined;

  get size(): number {
    return this.#active.size;
  }

  /** From before the claim until after the finish. The answer lets go; one job may be in hand twice, and is claimed once. */
  takeInHand(job: Job): () => void {
    const id = jobId(job);
    this.#inHand.set(id, (this.#inHand.get(id) ?? 0) + 1);
    return () => {
      const left = (this.#inHand.get(id) ?? 1) - 1;
      if (left === 0) this.#inHand.delete(id);
      else this.#inHand.set(id, left);
    };
  }

  isInHand(job: Job): boolean {
    return this.#inHand.has(jobId(job));
  }

  watchId(job: Job): string {
    return jobId(job);
  }

  add(watchId: string, active: Active): void {
    this.#active.set(watchId, active);
    if (this.#standing !== undefined) active.attempt.stop(this.#standing);
  }

  remove(watchId: string): void {
    this.#active.delete(watchId);
  }

  hearVerdict(verdict: WatchVerdict): void {
    this.#active.get(verdict.watchId)?.attempt.hearVerdict(verdict);
  }

  hearOrder({ reason, ...job }: StopOrder): void {
    const found = this.#active.get(jobId(job));
    const code = reason === "fenced" ? "fenced" : "cancelled";
    const message = reason === "fenced" ? undefined : `Cancelled: ${reason}`;
    const error = bridleError(code, { message, details: { reason } });
    found?.attempt.stop({ cause: "cancelled", error, acceptsResult: false });
  }

  stopAll(request: StopRequest): void {
    for (const { attempt } of this.#active.values()) attempt.stop(request);
  }

  /** The worker shuts down: what was being claimed meanwhile is stopped as soon as it is here. */
  stopForGood(request: StopRequest): void {
    this.#standing = request;
    this.stopAll(request);
  }

  /** Resolves when all that run now have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#active.values()].map(async ({ running }) => running));
  }
}
