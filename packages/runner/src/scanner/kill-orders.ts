import { after, highWaterOf, isReached } from "@bridle/watchdog";
import type { SlotRef, WatchColumns } from "@bridle/watchdog";

const columnNames = ["pid", "orderAt", "orderGeneration", "answers"] as const;
type ColumnName = (typeof columnNames)[number];

const headerLength = 2;
const loopTurnsIndex = 0;
const inlineOpenIndex = 1;

/** Memory beside the watch table, written by the main loop and read by whoever scans. */
export interface KillOrders extends Readonly<Record<ColumnName, Int32Array>> {
  readonly header: Int32Array;
}

export function killOrdersBytes(slots: number): number {
  return Int32Array.BYTES_PER_ELEMENT * (headerLength + columnNames.length * slots);
}

export function killOrders(buffer: ArrayBufferLike, slots: number): KillOrders {
  const start = (index: number): number =>
    Int32Array.BYTES_PER_ELEMENT * (headerLength + index * slots);
  const columns = Object.fromEntries(
    columnNames.map((name, index) => [name, new Int32Array(buffer, start(index), slots)]),
  );
  // The names were just written by the list that the type is made from.
  const typed = columns as Record<ColumnName, Int32Array>;
  return { ...typed, header: new Int32Array(buffer, 0, headerLength) };
}

/** The main loop says that it turns. */
export function countLoopTurn(orders: KillOrders): void {
  Atomics.add(orders.header, loopTurnsIndex, 1);
}

export function loopTurnsOf(orders: KillOrders): number {
  return Atomics.load(orders.header, loopTurnsIndex);
}

export function addInline(orders: KillOrders, by: 1 | -1): void {
  Atomics.add(orders.header, inlineOpenIndex, by);
}

export function hasInline(orders: KillOrders): boolean {
  return Atomics.load(orders.header, inlineOpenIndex) > 0;
}

/**
 * `kill(-1)` would reach every process there is and `kill(0)` our own group, so nothing below 2 is taken, nor this
 * process itself.
 */
export function checkedPid(pid: number | undefined): number {
  if (pid === undefined) return 0;
  if (!Number.isInteger(pid) || pid < 2 || pid > 2 ** 31 - 1 || pid === process.pid) {
    throw new RangeError(`${pid} cannot be the process group of an isolate.`);
  }
  return pid;
}

/** Main loop: unless it is answered or closed by `orderAt`, the scanner kills the group. */
export function placeOrder(orders: KillOrders, ref: SlotRef, orderAt: number): void {
  Atomics.store(orders.orderAt, ref.slot, orderAt);
  Atomics.store(orders.orderGeneration, ref.slot, ref.generation);
  Atomics.add(orders.answers, ref.slot, 1);
}

/** Main loop: verdict and order are seen to. */
export function answer(orders: KillOrders, ref: SlotRef): void {
  Atomics.store(orders.orderGeneration, ref.slot, 0);
  Atomics.add(orders.answers, ref.slot, 1);
}

export interface DueKill extends SlotRef {
  readonly pid: number;
  readonly because: "verdict" | "order";
}

interface Unanswered extends SlotRef {
  readonly until: number;
  /** The slot's count when the verdict was given: an answer counts only when it comes after what it answers. */
  readonly answers: number;
}

/** Memory of the scanner's side: which verdicts still want an answer. */
export class KillDesk {
  readonly #columns: WatchColumns;
  readonly #orders: KillOrders;
  readonly #answerWithinMs: number;
  readonly #unanswered = new Map<number, Unanswered>();

  constructor(columns: WatchColumns, orders: KillOrders, answerWithinMs: number) {
    this.#columns = columns;
    this.#orders = orders;
    this.#answerWithinMs = answerWithinMs;
  }

  /** From now on the main loop has `answerWithinMs` to answer an enforced verdict. */
  expectAnswer({ slot, generation }: SlotRef, now: number): void {
    const until = after(now, this.#answerWithinMs);
    const answers = Atomics.load(this.#orders.answers, slot);
    this.#unanswered.set(slot, { slot, generation, until, answers });
  }

  /** Each kill is returned once. */
  due(now: number): readonly DueKill[] {
    return [...this.#dueVerdicts(now), ...this.#dueOrders(now)];
  }

  #dueVerdicts(now: number): readonly DueKill[] {
    const due: DueKill[] = [];
    for (const { slot, generation, until, answers } of this.#unanswered.values()) {
      const isAnswered = Atomics.load(this.#orders.answers, slot) !== answers;
      if (!isAnswered && !isReached(now, until)) continue;
      this.#unanswered.delete(slot);
      if (!isAnswered) due.push(...this.#kill({ slot, generation }, "verdict"));
    }
    return due;
  }

  #dueOrders(now: number): readonly DueKill[] {
    const { orderGeneration, orderAt } = this.#orders;
    const end = highWaterOf(this.#columns);
    const due: DueKill[] = [];
    for (let slot = 0; slot < end; slot++) {
      const generation = Atomics.load(orderGeneration, slot);
      if (generation === 0 || !isReached(now, Atomics.load(orderAt, slot))) continue;
      // Taken off in one move: an answer that comes at this moment finds nothing, or leaves nothing here.
      if (Atomics.compareExchange(orderGeneration, slot, generation, 0) !== generation) continue;
      due.push(...this.#kill({ slot, generation }, "order"));
    }
    return due;
  }

  #kill(ref: SlotRef, because: DueKill["because"]): readonly DueKill[] {
    const isOpen = Atomics.load(this.#columns.generation, ref.slot) === ref.generation;
    const pid = Atomics.load(this.#orders.pid, ref.slot);
    return isOpen && pid > 1 ? [{ ...ref, pid, because }] : [];
  }
}
