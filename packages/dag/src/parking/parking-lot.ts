/**
 * Every parked task of a partition, and in which order they go on (BR-18, B10).
 *
 * L1. First parked, first released, across all runs, per breaker; how fast says its gate.
 * L2. The lot decides by what workers told: a refusal parks until the time it named, transitions open and shut the gate. A
 *     scheduler has no breaker of its own, and workers may disagree; the latest word counts.
 * L3. Words of one worker count in the order in which it said them: a refusal that comes after its breaker's close, but was
 *     told before, shuts nothing.
 * L4. A worker that is gone holds nothing: what it told is forgotten, and its gate follows who is left.
 * L5. It owns nothing: runs say what is parked. A task named twice stands once; one that was released leaves at once, and comes
 *     back when its run says that it is still parked.
 */
import { assertNever } from "@bridle/kernel";

import type { BreakerWord, ParkedTask } from "./parking-types.ts";
import { beginRamp, beginTrial, hearWord, openGate } from "./release-gate.ts";
import type { ReleaseGate } from "./release-gate.ts";

interface Line {
  /** In order of arrival; by `parkedAt` once it is sorted. */
  tasks: Map<string, ParkedTask>;
  isSorted: boolean;
}

/** What one worker last told of a breaker. */
interface LastWord {
  readonly at: number;
  readonly state: "OPEN" | "HALF_OPEN" | "CLOSED";
  /** Of an open one. */
  readonly until: number;
}

interface Breaker {
  gate: ReleaseGate | undefined;
  /** Whose word the gate follows. */
  by: string | undefined;
  readonly told: Map<string, LastWord>;
}

interface Released {
  readonly tasks: readonly ParkedTask[];
  /** Wall ms at which to ask again; undefined when nothing is parked. */
  readonly nextAt: number | undefined;
}

export class ParkingLot {
  readonly #quietMs: number;
  readonly #lines = new Map<string, Line>();
  readonly #places = new Map<string, string>();
  readonly #breakers = new Map<string, Breaker>();

  /** `quietMs`: how long a half-open breaker may let nothing out before two more are tried. */
  constructor(quietMs: number) {
    this.#quietMs = quietMs;
  }

  /** Tasks parked now. */
  get size(): number {
    return this.#places.size;
  }

  /** Whose words the lot goes by. */
  get tellers(): ReadonlySet<string> {
    const tellers = new Set<string>();
    for (const { told } of this.#breakers.values()) {
      for (const teller of told.keys()) tellers.add(teller);
    }
    return tellers;
  }

  park(task: ParkedTask): void {
    this.leave(task.runId, task.taskId);
    const line = this.#lines.get(task.breaker) ?? { tasks: new Map(), isSorted: true };
    const last = line.isSorted ? [...line.tasks.values()].at(-1) : undefined;
    if (last !== undefined && last.parkedAt > task.parkedAt) line.isSorted = false;
    const name = nameOf(task);
    line.tasks.set(name, task);
    this.#lines.set(task.breaker, line);
    this.#places.set(name, task.breaker);
  }

  /** It is parked no more, whatever became of it. */
  leave(runId: string, taskId: string): void {
    this.#remove(nameOf({ runId, taskId }));
  }

  leaveRun(runId: string): void {
    for (const name of this.#places.keys()) {
      if (name.startsWith(`${runId} `)) this.#remove(name);
    }
  }

  /** A word of a worker. `now`: wall ms by this scheduler, when it was heard. */
  hear(word: BreakerWord, now: number): void {
    const breaker = this.#breakers.get(word.breaker) ?? {
      gate: undefined,
      by: undefined,
      told: new Map<string, LastWord>(),
    };
    const before = word.teller === undefined ? undefined : breaker.told.get(word.teller);
    this.#breakers.set(word.breaker, breaker);
    if (word.type === "refused" && before !== undefined && word.at < before.at) {
      breaker.gate ??= gateOf(before, now);
      return;
    }
    breaker.gate = hearWord(breaker.gate, word, now);
    breaker.by = word.teller;
    const last = lastWord(word);
    if (word.teller !== undefined && last !== undefined) breaker.told.set(word.teller, last);
  }

  /** These processes are alive; what others told is forgotten. */
  keepTellers(live: ReadonlySet<string>, now: number): void {
    for (const [key, breaker] of this.#breakers) {
      for (const teller of breaker.told.keys()) {
        if (!live.has(teller)) breaker.told.delete(teller);
      }
      if (breaker.by !== undefined && !live.has(breaker.by)) this.#follow(breaker, now);
      if (breaker.told.size === 0 && !this.#lines.has(key)) this.#breakers.delete(key);
    }
  }

  /** Lets go what may go now. */
  release(now: number): Released {
    const tasks: ParkedTask[] = [];
    let nextAt: number | undefined;
    for (const [key, line] of this.#lines) {
      const breaker = this.#breakers.get(key);
      const gate = breaker?.gate ?? beginTrial(now);
      const answer = openGate(gate, { waiting: line.tasks.size, now, quietMs: this.#quietMs });
      if (breaker !== undefined) breaker.gate = answer.gate;
      else this.#breakers.set(key, { gate: answer.gate, by: undefined, told: new Map() });
      tasks.push(...this.#take(line, answer.count));
      if (answer.nextAt !== undefined) nextAt = Math.min(nextAt ?? Infinity, answer.nextAt);
    }
    return { tasks, nextAt };
  }

  #take(line: Line, count: number): readonly ParkedTask[] {
    if (count === 0) return [];
    if (!line.isSorted) {
      // Stable: who was parked in the same instant keeps the order of arrival.
      const sorted = [...line.tasks].toSorted(([, one], [, two]) => one.parkedAt - two.parkedAt);
      line.tasks = new Map(sorted);
      line.isSorted = true;
    }
    const taken: ParkedTask[] = [];
    for (const task of line.tasks.values()) {
      if (taken.length === count) break;
      taken.push(task);
    }
    for (const task of taken) this.#remove(nameOf(task));
    return taken;
  }

  #remove(name: string): void {
    const key = this.#places.get(name);
    if (key === undefined) return;
    this.#places.delete(name);
    const line = this.#lines.get(key);
    line?.tasks.delete(name);
    if (line?.tasks.size !== 0) return;
    this.#lines.delete(key);
    const breaker = this.#breakers.get(key);
    // The next line starts slowly again.
    if (breaker?.gate?.phase === "ramp") breaker.gate = undefined;
  }

  /** Its teller is gone: the newest word of those who are left, or nobody holds it open any more. */
  #follow(breaker: Breaker, now: number): void {
    const left = [...breaker.told].toSorted(([, one], [, two]) => two.at - one.at)[0];
    breaker.by = left?.[0];
    if (breaker.gate === undefined || breaker.gate.phase === "ramp") return;
    breaker.gate = left === undefined ? beginRamp(now) : gateOf(left[1], now);
  }
}

function gateOf({ state, until }: LastWord, now: number): ReleaseGate {
  if (state === "OPEN") return { phase: "shut", until, next: "trial" };
  return state === "HALF_OPEN" ? beginTrial(now) : beginRamp(now);
}

/** What stays known of a word; undefined when it tells of no state. */
function lastWord(word: BreakerWord): LastWord | undefined {
  const { at } = word;
  switch (word.type) {
    case "opened":
      return { at, state: "OPEN", until: word.until };
    case "half_opened":
      return { at, state: "HALF_OPEN", until: at };
    case "closed":
      return { at, state: "CLOSED", until: at };
    case "refused":
      return { at, state: refusingStates[word.reason] ?? "OPEN", until: word.until };
    case "probed":
      return undefined;
    default:
      return assertNever(word);
  }
}

/** In which state a breaker refuses so; every other reason is an open one's. */
const refusingStates: Readonly<Record<string, LastWord["state"]>> = {
  probes_taken: "HALF_OPEN",
  in_flight_cap: "CLOSED",
};

function nameOf({ runId, taskId }: { readonly runId: string; readonly taskId: string }): string {
  return `${runId} ${taskId}`;
}
