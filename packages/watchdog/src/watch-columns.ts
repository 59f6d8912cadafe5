/**
 * The memory of a watch table: one 32-bit column per field, so that the pass over all slots reads one dense column.
 *
 * WC-1 One writer, the table's owner; `shiftMs` alone is written by the scan.
 * WC-2 A slot's `sequence` is odd while its owner writes: what was read meanwhile is not judged.
 * WC-3 A slot's `generation` is odd while it is in use and never repeats (in 2^31 uses), so a reader that remembers it
 *      can tell a task from the next one in the same slot.
 */
const columnNames = [
  /** Nothing can be due before this instant: the only column that is read of every slot. */
  "wakeAt",
  "generation",
  "sequence",
  "flags",
  "graceUntil",
  "taskMs",
  "taskDueAt",
  "stepMs",
  "stepArmedAt",
  "stepTimeoutMs",
  "stepSlackMs",
  /** Last progress, moved along by waits. */
  "stallFrom",
  "stallAfterMs",
  "maxStep",
  "repeats",
  "waitFrom",
  "waitUntil",
  "waitOn",
  "cycleAt",
  /** Progress tokens seen within the highest step; 0 is none. */
  "token0",
  "token1",
  "token2",
  "token3",
  "tokens",
] as const;

type ColumnName = (typeof columnNames)[number];

const headerLength = 2;
const highWaterIndex = 0;
const shiftIndex = 1;

export interface WatchColumns extends Readonly<Record<ColumnName, Int32Array>> {
  readonly slots: number;
  readonly header: Int32Array;
}

/** Bytes that a table of so many slots needs (96 a slot). */
export function watchTableBytes(slots: number): number {
  if (!Number.isInteger(slots) || slots < 1) {
    throw new RangeError(
      `A watch table needs a whole number of slots of at least 1, not ${slots}.`,
    );
  }
  return Int32Array.BYTES_PER_ELEMENT * (headerLength + columnNames.length * slots);
}

/** Views of a buffer of `watchTableBytes(slots)` bytes, shared between threads or not. */
export function watchColumns(buffer: ArrayBufferLike, slots: number): WatchColumns {
  const start = (index: number): number =>
    Int32Array.BYTES_PER_ELEMENT * (headerLength + index * slots);
  const columns = Object.fromEntries(
    columnNames.map((name, index) => [name, new Int32Array(buffer, start(index), slots)]),
  );
  // The names were just written by the list that the type is made from.
  const typed = columns as Record<ColumnName, Int32Array>;
  return { ...typed, slots, header: new Int32Array(buffer, 0, headerLength) };
}

/** Slots from here on were never used. */
export function highWaterOf(columns: WatchColumns): number {
  return Atomics.load(columns.header, highWaterIndex);
}

export function setHighWater(columns: WatchColumns, slots: number): void {
  Atomics.store(columns.header, highWaterIndex, slots);
}

/** How much the table's time lags behind its clock, because nobody watched meanwhile (WD-12). */
export function shiftOf(columns: WatchColumns): number {
  return Atomics.load(columns.header, shiftIndex);
}

export function addShift(columns: WatchColumns, ms: number): void {
  Atomics.add(columns.header, shiftIndex, ms);
}

/** Bits of the `flags` column. */
export const flag = {
  stepInHand: 1,
  llmStep: 2,
  toolStep: 4,
  /** The baseline is set: at least one beat came. */
  beaten: 8,
  finished: 16,
  waiting: 32,
  /** The wait was declared by a beat, so a beat can end it; a wait of the host is ended by the host. */
  waitOfBeat: 64,
  waitsOnStore: 128,
  waitCycle: 256,
} as const;

export function hasFlag(columns: WatchColumns, slot: number, bit: number): boolean {
  return (Atomics.load(columns.flags, slot) & bit) !== 0;
}

/** Owner only. */
export function setFlags(columns: WatchColumns, slot: number, bits: number): void {
  Atomics.or(columns.flags, slot, bits);
}

/** Owner only. */
export function clearFlags(columns: WatchColumns, slot: number, bits: number): void {
  Atomics.and(columns.flags, slot, ~bits);
}
