/**
 * The one time of a simulated world: everything that will happen, in order of due time, then of arming.
 *
 * 1. Nothing happens between two events: promises settle in between, and no real time passes.
 * 2. The order of events depends on nothing but what armed them, so a world replays exactly.
 */
export interface Cancellable {
  cancel(): void;
}

interface Event {
  readonly dueMs: number;
  readonly order: number;
  fire: (() => void) | undefined;
}

export class SimulationTime {
  #nowMs = 0;
  #order = 0;
  readonly #heap: Event[] = [];

  get nowMs(): number {
    return this.#nowMs;
  }

  at(dueMs: number, fire: () => void): Cancellable {
    const event: Event = { dueMs: Math.max(dueMs, this.#nowMs), order: this.#order++, fire };
    this.#push(event);
    return {
      cancel: () => {
        event.fire = undefined;
      },
    };
  }

  async sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(this.#nowMs + ms, resolve);
    });
  }

  /** Moves to the next event and fires it. False when nothing will ever happen again. */
  step(): boolean {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return false;
      if (event.fire === undefined) continue;
      this.#nowMs = event.dueMs;
      event.fire();
      return true;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || isBefore(parent, event)) break;
      heap[index] = parent;
      index = up;
    }
    heap[index] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const child = this.#earlierChild(index);
      const below = heap[child];
      if (below === undefined || isBefore(last, below)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
    return first;
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1;
    const [one, other] = [this.#heap[left], this.#heap[left + 1]];
    return one !== undefined && other !== undefined && isBefore(other, one) ? left + 1 : left;
  }
}

function isBefore(left: Event, right: Event): boolean {
  return left.dueMs < right.dueMs || (left.dueMs === right.dueMs && left.order < right.order);
}

/** So many turns for one look of the event loop at the operating system, which costs five times as much as a turn. */
const batch = 64;

/**
 * Takes turns until one answers false. Node drains every promise chain that is ready, however long, between two immediates; so
 * many are armed at a time, since nothing in a simulated world waits for the operating system (0.2 instead of 1.0 μs a turn).
 */
export async function takeTurns(turn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const one = (): void => {
      if (isOver) return;
      try {
        isOver = !turn();
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    const arm = (): void => {
      for (let number = 1; number < batch; number++) setImmediate(one);
      setImmediate(() => {
        one();
        if (!isOver) arm();
      });
    };
    arm();
  });
}
