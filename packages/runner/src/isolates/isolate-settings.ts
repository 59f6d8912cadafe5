import { isolateLimits, livenessDefaults } from "@bridle/protocol";

export interface IsolateSettings {
  /** From spawn to the agent's module loaded. */
  readonly startMs: number;
  /** Failed starts in a row after which the agent counts as broken, and for how long no further start is tried (B172). */
  readonly startFailures: number;
  readonly brokenMs: number;
  /**
   * An isolate is not used for longer, or for more tasks, than this, nor with more than half of its memory in use: slow leaks of an agent
   * end with it.
   */
  readonly maxAgeMs: number;
  readonly maxTasks: number;
  /** A warm isolate without work is let go after this. */
  readonly idleMs: number;
  /**
   * Resident memory above which a process is ended, with all that it started (X5), looked at once a second; of a thread, the size of
   * its heap.
   */
  readonly memoryBytes: number;
  /** Files, sockets and pipes that one process may have open: the kernel refuses the next. A thread shares the worker's. */
  readonly openFiles: number;
  /**
   * Whether each process gets a PID namespace, where this system lets it: then nothing outlives it, whatever it did. Its numbers are
   * others inside, so it is off unless it is asked for.
   */
  readonly pidNamespace: boolean;
  /** Threads that were given up and still run, at which the worker asks to be retired (WD-13). */
  readonly maxStuckThreads: number;
  /** Names of environment variables agents may see beyond the built-in list. */
  readonly allowEnvironment: readonly string[];
}

export const isolateDefaults: IsolateSettings = {
  startMs: livenessDefaults.isolateStartMs,
  startFailures: 3,
  brokenMs: 60_000,
  ...isolateLimits,
  pidNamespace: false,
  allowEnvironment: [],
};
