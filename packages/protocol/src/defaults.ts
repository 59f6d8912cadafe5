/** Defaults with the requirement each comes from. Every one can be configured; bounds are checked at load. */
export const defaultLimits = {
  /** BU-3: a run without a `budget:`. */
  runTokens: 1_000_000,
  runNanoUsd: 5_000_000_000,
  runCalls: 400,
  /** BU-3: an installation's day. */
  dayNanoUsd: 50_000_000_000,
  /** W3 */
  taskTimeoutMs: 600_000,
  runTimeoutMs: 3_600_000,
  /** WD-8 ceilings, also the values used before there are samples. */
  modelStepTimeoutMs: 120_000,
  toolStepTimeoutMs: 30_000,
  /** WD-1 */
  maxStepsPerTask: 500,
  /** Answers given again are at most a day old, and 2,000 of at most 32 KiB bound their store to 64 MiB (BU-18). */
  cacheMaxAgeMs: 86_400_000,
  cacheMaxEntries: 2000,
  /** "Breaker open" parks a task no longer than this. */
  parkedMs: 3_600_000,
  /** A task asked to cancel whose worker never answers is taken over after this: grace, force and one lease. */
  cancellingMs: 20_000,
  /** The body of a submit, and the largest value an expression may load. */
  bodyBytes: 1_048_576,
  /** Larger outputs end the task with `output_too_large`. */
  outputBytes: 16_777_216,
  maxTasks: 10_000,
} as const;

/** X5: what an agent's isolate may take, and when it is used no more. */
export const isolateLimits = {
  /** Resident memory of a process with all that it started, looked at once a second; of a thread, the size of its heap. */
  memoryBytes: 536_870_912,
  /** Files, sockets and pipes that one process may have open, held by the kernel. */
  openFiles: 4096,
  /** Slow leaks of an agent end with its isolate: after so many tasks, so long, and above half of its memory. */
  maxTasks: 100,
  maxAgeMs: 1_800_000,
  /** A warm isolate without work is let go. */
  idleMs: 60_000,
  /** WD-13: threads that were given up and still run, at which the worker retires. */
  maxStuckThreads: 4,
} as const;

/** The liveness numbers. Validated at start: self-fence < lease, renewals < a third of their lease. */
export const livenessDefaults = {
  workerLeaseMs: 8000,
  workerRenewMs: 2000,
  selfFenceMs: 6000,
  queueLockMs: 30_000,
  schedulerLeaseMs: 10_000,
  schedulerRenewMs: 3000,
  pollMs: 2000,
  reconcileMs: 10_000,
  isolateStartMs: 15_000,
  holdRenewMs: 15_000,
  holdExpiryMs: 60_000,
  /** BR-18: two more parked tasks are tried when a half-open breaker let nothing out for this long. */
  probeQuietMs: 30_000,
} as const;
