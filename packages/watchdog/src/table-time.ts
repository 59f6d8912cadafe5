/**
 * Instants of a watch table: whole milliseconds since the table began, in 32 bits, because shared memory can only be
 * read and written whole in 32-bit integers. They wrap after 24.8 days, so instants are compared by their distance and
 * never by size, and no duration is longer than half of that.
 */

/** 12.4 days. Longer durations are cut to this. */
export const longestMs = 2 ** 30;

/** Milliseconds from `then` to `now`; negative when `then` lies ahead. Right as long as they are less than 24 days apart. */
export function elapsed(now: number, then: number): number {
  return (now - then) | 0;
}

export function isReached(now: number, instant: number): boolean {
  return elapsed(now, instant) >= 0;
}

export function after(instant: number, ms: number): number {
  return (instant + ms) | 0;
}

export function earlierOf(left: number, right: number): number {
  return elapsed(left, right) <= 0 ? left : right;
}

/** Any clock's reading as an instant. */
export function instantOf(milliseconds: number): number {
  return Math.floor(milliseconds) | 0;
}

/** A duration that may be written into a table. `name` is what the error calls it. */
export function durationOf(name: string, ms: number): number {
  if (!Number.isFinite(ms) || ms < 0) {
    throw new RangeError(`${name} must be a number of milliseconds of at least 0, not ${ms}.`);
  }
  return Math.min(Math.ceil(ms), longestMs);
}
