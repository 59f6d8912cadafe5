/**
 * Runs `work` whenever it was asked for, never twice at once: a request that comes while it runs leads to exactly one
 * more round. Contract: `work` handles its own errors; what it rejects with goes to `onError` and ends that round only.
 */
export class SingleFlight {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #running: Promise<void> | undefined;
  #active = false;
  #again = false;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  request(): void {
    if (this.#active) {
      this.#again = true;
      return;
    }
    this.#active = true;
    this.#running = this.#loop();
  }

  /** Resolves when no round is running or wanted. */
  async idle(): Promise<void> {
    while (this.#active) {
      // oxlint-disable-next-line no-await-in-loop -- a later round may have been asked for meanwhile
      await this.#running;
    }
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      try {
        // oxlint-disable-next-line no-await-in-loop -- one round at a time is the point
        await this.#work();
      } catch (error) {
        this.#onError(error);
      }
    } while (this.#again);
    this.#active = false;
  }
}
