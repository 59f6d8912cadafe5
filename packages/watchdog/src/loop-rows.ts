import { AskedPlaces } from "./asked-places.ts";
import type { LoopPattern } from "./loop-thresholds.ts";

/** One call of a tool. `args` and `result` are fingerprints: equal for what is to count as equal. */
export interface LoopCall {
  readonly tool: string;
  readonly args: string;
  /** Of the texts among its arguments, by member. Absent: its arguments are looked at as a whole only. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  /** Of the error, when it failed. */
  readonly result: string;
  readonly failed: boolean;
  readonly isPolling: boolean;
  /** Whether the call changes something outside. */
  readonly hasEffect: boolean;
}

export interface RowCount {
  readonly pattern: LoopPattern;
  readonly count: number;
}

export type AskedCall = Pick<LoopCall, "tool" | "args" | "texts">;

/** The end of an alternation, newest last, and how many calls it is long. */
interface Turns {
  readonly before: LoopCall;
  readonly last: LoopCall;
  readonly length: number;
}

/** Far beyond the steps of a task. */
const mostRemembered = 10_000;

/** Of a row without news: as many as wordings end one. Whoever has looked in twelve other places for nothing goes round, too. */
const mostPlaces = 12;

/** The rows that an attempt's calls form, each as long as it is now. */
export class CallRows {
  #last: LoopCall | undefined;
  #repeats = 0;
  #failures = 0;
  #turns: Turns | undefined;
  #withoutNews = 0;
  /** Calls of that row that asked elsewhere. */
  #elsewhere = 0;
  readonly #places = new AskedPlaces();
  readonly #results = new Set<string>();
  readonly #effects = new Set<string>();
  readonly #polled = new Map<string, string>();

  get lastTool(): string | undefined {
    return this.#last?.tool;
  }

  counts(): readonly RowCount[] {
    return [
      { pattern: "repeat", count: this.#repeats },
      { pattern: "failing", count: this.#failures },
      { pattern: "ping_pong", count: this.#rounds() },
      { pattern: "no_news", count: this.#withoutNews },
    ];
  }

  /** The rows that would be longer by this call, should it bring what the one before brought. */
  goingOn(asked: AskedCall): readonly RowCount[] {
    const last = this.#last;
    if (last === undefined) return [];
    const isRepeated = isSameCall(last, asked);
    const isTurn = this.#turns !== undefined && isSameCall(this.#turns.before, asked);
    return [
      { pattern: "repeat", count: isRepeated ? this.#repeats : 0 },
      { pattern: "failing", count: isRepeated ? this.#failures : 0 },
      { pattern: "ping_pong", count: isTurn ? this.#rounds() : 0 },
      { pattern: "no_news", count: this.#goesOnWithoutNews(asked) ? this.#withoutNews : 0 },
    ];
  }

  /** As if the call had been made and had brought the same once more. */
  extend(asked: AskedCall): void {
    const last = this.#last;
    if (last === undefined) return;
    if (isSameCall(last, asked)) {
      if (this.#repeats > 0) this.#repeats += 1;
      if (this.#failures > 0) this.#failures += 1;
    }
    const turns = this.#turns;
    if (turns !== undefined && isSameCall(turns.before, asked)) {
      this.#turns = { before: turns.last, last: turns.before, length: turns.length + 1 };
      this.#last = turns.before;
    }
    if (this.#goesOnWithoutNews(asked)) this.#withoutNews += 1;
  }

  /** Whether it brought something new. */
  add(call: LoopCall): boolean {
    if (call.isPolling) return this.#poll(call);
    const last = this.#last;
    this.#repeats = last !== undefined && isEqual(last, call) ? this.#repeats + 1 : 1;
    this.#failures = this.#failuresWith(call);
    this.#turns = this.#turnsWith(call);
    const hasNews = this.#isNews(call);
    this.#withoutNews = this.#withoutNewsBy(call, hasNews);
    this.#places.add(call);
    this.#last = call;
    return hasNews;
  }

  #rounds(): number {
    return this.#turns === undefined ? 0 : Math.floor(this.#turns.length / 2);
  }

  #goesOnWithoutNews(asked: AskedCall): boolean {
    return this.#last?.tool === asked.tool && !this.#isElsewhere(asked);
  }

  #isElsewhere(asked: AskedCall): boolean {
    return this.#elsewhere < mostPlaces && this.#places.isElsewhere(asked);
  }

  /** LD-7 */
  #withoutNewsBy(call: LoopCall, hasNews: boolean): number {
    if (hasNews || this.#last?.tool !== call.tool) this.#elsewhere = 0;
    if (hasNews) return 0;
    const row = this.#last?.tool === call.tool ? this.#withoutNews : 0;
    if (!this.#isElsewhere(call)) return row + 1;
    this.#elsewhere += 1;
    return row;
  }

  #failuresWith(call: LoopCall): number {
    if (!call.failed) return 0;
    const last = this.#last;
    return last?.failed === true && isSameCall(last, call) ? this.#failures + 1 : 1;
  }

  #turnsWith(call: LoopCall): Turns | undefined {
    const last = this.#last;
    if (last === undefined || isEqual(last, call)) return undefined;
    const turns = this.#turns;
    const goesOn = turns !== undefined && isEqual(turns.before, call);
    return { before: last, last: call, length: goesOn ? turns.length + 1 : 2 };
  }

  #poll({ tool, args, result }: LoopCall): boolean {
    const key = keyOf(tool, args);
    if (this.#polled.get(key) === result) return false;
    if (this.#polled.size < mostRemembered) this.#polled.set(key, result);
    this.#last = undefined;
    this.#turns = undefined;
    this.#repeats = 0;
    this.#failures = 0;
    this.#withoutNews = 0;
    this.#elsewhere = 0;
    return true;
  }

  /** A result that this tool has not brought yet, or an effect that it has not had yet. */
  #isNews({ tool, args, result, hasEffect, failed }: LoopCall): boolean {
    const isNewResult = isNew(this.#results, keyOf(tool, result));
    const isNewEffect = hasEffect && !failed && isNew(this.#effects, keyOf(tool, args));
    return isNewResult || isNewEffect;
  }
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  if (seen.size < mostRemembered) seen.add(key);
  return true;
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function isSameCall(left: AskedCall, right: AskedCall): boolean {
  return left.tool === right.tool && left.args === right.args;
}

function isEqual(left: LoopCall, right: LoopCall): boolean {
  return isSameCall(left, right) && left.result === right.result && left.failed === right.failed;
}
