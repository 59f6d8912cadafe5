/** A pending timer. Cancelling twice, or after it fired, is harmless. */
export interface TimerHandle {
  cancel(): void;
}

/**
 * The only source of time in Bridle. Monotonic time measures and decides; wall time is for showing people and for
 * instants that outlive a process (timers in the store).
 */
export interface Clock {
  /** Milliseconds since an arbitrary start; never goes back, unaffected by changes of the wall clock. */
  monotonicMs(): number;
  /** Milliseconds since the Unix epoch. */
  wallMs(): number;
  /** Calls `fire` once after `delayMs`, never synchronously. Delays beyond 2^31-1 ms are re-armed, not fired at once (GC-1). */
  setTimer(delayMs: number, fire: () => void): TimerHandle;
}
