/**
 * What one process does of its own accord, seen at the moment it does it and before the world can lose, delay or refuse it.
 *
 * 1. A renewal counts from when it was sent, once it was answered, by the process's own clock.
 * 2. It sees what is asked for, not what comes of it: that is the witness's.
 * 3. A process knows the decisions of a run that a load or a commit of its own answered with, and no others: a commit that it gave
 *    up may still be made.
 */
import type { Store, TaskQueue } from "@bridle/ports";
import type { MemoryState } from "@bridle/ports/testing";

import type { Actor } from "./actor.ts";
import type { Witness } from "./witness.ts";

export interface StirringsOptions {
  readonly actor: Actor;
  readonly state: MemoryState;
  readonly witness: Witness;
}

export class Stirrings {
  readonly #options: StirringsOptions;
  #renewedMs = Number.NEGATIVE_INFINITY;
  #renewals = 0;
  /** By run: how many decisions this process was told of. */
  readonly #told = new Map<string, number>();

  constructor(options: StirringsOptions) {
    this.#options = options;
  }

  /** A worker does something that it may do only while it is in touch with the store. */
  stir(by: string): void {
    const { actor, witness } = this.#options;
    if (actor.isDead || actor.isWaking) return;
    const silentMs = actor.clock.monotonicMs() - this.#renewedMs;
    witness.see({ type: "stirred", bootId: actor.bootId, by, silentMs });
  }

  /** The store as the product's code calls it. */
  store(store: Store): Store {
    const { attempts, leases, ledger, runs } = store;
    return {
      ...store,
      runs: {
        ...runs,
        load: async (runId) => {
          const stored = await runs.load(runId);
          if (stored !== undefined) this.#told.set(runId, stored.decisions);
          return stored;
        },
        commit: async (commit) => {
          const answer = await runs.commit(commit);
          if (answer.committed) this.#told.set(commit.runId, answer.decisions);
          return answer;
        },
      },
      attempts: {
        ...attempts,
        claim: async (claim) => {
          this.stir("a claim");
          return attempts.claim(claim);
        },
        raiseFences: async (runId, fences) => {
          this.#options.witness.see({ type: "dispatching", runId, attempts: fences });
          return attempts.raiseFences(runId, fences);
        },
      },
      ledger: {
        ...ledger,
        dispatch: async (spender, holdId) => {
          this.stir("a dispatch");
          return ledger.dispatch(spender, holdId);
        },
      },
      leases: {
        ...leases,
        acquire: async (...asked) => this.#acquire(leases, asked),
        release: async (name, holder) => {
          const { actor, witness } = this.#options;
          const { bootId } = actor;
          if (name === this.#lease) witness.see({ type: "left", bootId, renewals: this.#renewals });
          return leases.release(name, holder);
        },
      },
    };
  }

  queue(queue: TaskQueue): TaskQueue {
    const { state, witness } = this.#options;
    return {
      ...queue,
      enqueue: async (jobs) => {
        const isLeading = this.#isLeading();
        for (const { job } of jobs) {
          const run = state.runs.get(job.runId);
          const fence = run?.tasks.get(job.taskId)?.fence ?? 0;
          const isInformed = isLeading && run?.decisions === this.#told.get(job.runId);
          witness.see({ type: "enqueued", ...job, fence, isInformed });
        }
        return queue.enqueue(jobs);
      },
    };
  }

  async #acquire(
    leases: Store["leases"],
    asked: Parameters<Store["leases"]["acquire"]>,
  ): ReturnType<Store["leases"]["acquire"]> {
    if (asked[0] !== this.#lease) return leases.acquire(...asked);
    const sentMs = this.#options.actor.clock.monotonicMs();
    this.#renewals += 1;
    try {
      const answer = await leases.acquire(...asked);
      if (answer !== undefined) this.#renewedMs = Math.max(this.#renewedMs, sentMs);
      return answer;
    } finally {
      this.#renewals -= 1;
    }
  }

  get #lease(): string {
    return `worker:${this.#options.actor.bootId}`;
  }

  #isLeading(): boolean {
    const { actor, state } = this.#options;
    return [...state.leases].some(
      ([name, { holder }]) => name.startsWith("scheduler:") && holder === actor.bootId,
    );
  }
}
