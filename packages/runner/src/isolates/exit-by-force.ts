/**
 * Node joins its threads when the process exits. With one of them in a native call that never returns neither `process.exit()` nor the
 * natural end of the process ever comes (both measured on Node 20). So while there is such a thread the process ends itself with
 * SIGKILL at the moment it would exit: whoever restarts it sees signal 9, or 137.
 */
export class ExitByForce {
  readonly #end = (): void => {
    process.kill(process.pid, "SIGKILL");
  };
  #held = 0;

  /** A thread does not end. */
  hold(): void {
    this.#held += 1;
    if (this.#held === 1) process.on("exit", this.#end);
  }

  /** It has ended after all. */
  letGo(): void {
    this.#held -= 1;
    if (this.#held === 0) process.off("exit", this.#end);
  }
}
