/**
 * Hands back what the store says this worker holds and this worker knows nothing of: a claim whose answer was lost on its way, an
 * attempt whose end the store would not take for too long. Its lease says that this worker is alive, so nobody else would ever look.
 *
 * W1. What is in hand, from before its claim until after its finish, is never touched.
 * W2. Asked again and again, not once after a failure: a claim given up here may still be carried out by the store.
 * W3. A finish that comes too late is refused there: the first result stands.
 */
import type { TimerHandle } from "@bridle/kernel";
import type { OpenClaim } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";

import { failedBy } from "../outcome/attempt-end.ts";
import { toFinish } from "../supervision/finish-attempt.ts";
import type { ActiveAttempts } from "./active-attempts.ts";
import type { WorkerParts } from "./worker-parts.ts";

export class ClaimSweeper {
  readonly #worker: WorkerParts;
  readonly #active: ActiveAttempts;
  #timer: TimerHandle | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(worker: WorkerParts, active: ActiveAttempts) {
    this.#worker = worker;
    this.#active = active;
  }

  start(): void {
    const { clock, settings } = this.#worker;
    this.#timer = clock.setTimer(settings.reconcileMs, () => {
      this.start();
      this.#sweeping ??= this.#sweep().finally(() => {
        this.#sweeping = undefined;
      });
    });
  }

  /** Resolves when the sweep in hand has ended. What it has not handed back is found by the lease, which is released then. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { store, bootId } = this.#worker;
    try {
      for (const claim of await store.attempts.held(bootId)) {
        // oxlint-disable-next-line no-await-in-loop -- there is rarely one
        if (!this.#active.isInHand(claim)) await this.#handBack(claim);
      }
    } catch {
      // The next sweep asks again.
    }
  }

  async #handBack({ runId, taskId, attempt }: OpenClaim): Promise<void> {
    const worker = this.#worker;
    const spender = { runId, taskId, attempt };
    await worker.unsettled.book(spender);
    const finish = await toFinish({
      worker,
      spender,
      end: { ...failedBy(bridleError("worker_lost", { message: lost })), cause: "handed_back" },
      degraded: [],
      graceUsedMs: 0,
    });
    await worker.store.attempts.finish({ ...finish, at: worker.clock.wallMs() });
  }
}

const lost =
  "The worker lost touch with the store just as it took or ended this attempt, and has handed it back.";
