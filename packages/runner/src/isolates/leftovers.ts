/**
 * Tells whether an isolate that says it rests has left something running.
 *
 * L1. A child of its own is seen at once. A daemon is nobody's child: to become one, its parent had to end first.
 * L2. So the table of all processes is looked through only when some child has ended since the last look; an agent that starts no
 *     processes costs two small files a task.
 */
import {
  childCount,
  endedChildrenFaults,
  hasEnvironmentEntry,
  isAlive,
  listProcesses,
} from "./proc-table.ts";

export class Leftovers {
  readonly #pid: number;
  readonly #environmentEntry: string;
  /** What it had when it was ready: its lifeline. */
  readonly #children: number | undefined;
  #endedFaults: string | undefined;

  constructor(pid: number, environmentEntry: string) {
    this.#pid = pid;
    this.#environmentEntry = environmentEntry;
    this.#children = childCount(pid);
    this.#endedFaults = endedChildrenFaults(pid);
  }

  look(): boolean {
    if (childCount(this.#pid) !== this.#children) return true;
    const endedFaults = endedChildrenFaults(this.#pid);
    if (endedFaults === this.#endedFaults) return false;
    this.#endedFaults = endedFaults;
    return this.#hasDaemon();
  }

  /** Everything it started carries its token; what has it and is neither itself nor its child is on its own. */
  #hasDaemon(): boolean {
    return listProcesses().some(
      (row) =>
        row.pid !== this.#pid &&
        row.parentPid !== this.#pid &&
        isAlive(row) &&
        hasEnvironmentEntry(row.pid, this.#environmentEntry),
    );
  }
}
