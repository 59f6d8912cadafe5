/** The system's monotonic clock: the same reading in every thread, which `performance.now()` is not. */
export function systemMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
