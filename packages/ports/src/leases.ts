/** Named leases dated by the store's own clock, so that a drifting holder cannot outlive its lease. */
export interface Leases {
  /** Takes a free, lapsed or own lease. The epoch grows with each change of holder. */
  acquire(
    name: string,
    holder: string,
    ttlMs: number,
  ): Promise<{ readonly epoch: number } | undefined>;
  /** False when another holder has it or it was given up. */
  renew(name: string, holder: string, ttlMs: number): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
  /** Live leases whose name starts with `prefix`. */
  live(prefix: string): Promise<readonly { readonly name: string; readonly holder: string }[]>;
}
