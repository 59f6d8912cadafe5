/**
 * Loops whose steps rise (WD-18): told from work by what calls bring, never by how many there are.
 *
 * LD-1 A pattern has three rungs: nudge, block, stop. A rung is told once while its row goes on; a row that is broken begins anew.
 * LD-2 Blocked is only what would go on with the row: another call, or another result before it, lifts it.
 * LD-3 A declared polling tool is in no row. When what it brings changes, something has happened, and every row is broken.
 * LD-4 A call with an effect that was not made before brings news, whatever it answers: ten writes that each say "ok" are work.
 * LD-5 A text repeats only what it answers anew: the same request, or a conversation that holds the earlier text (B097).
 * LD-6 Fingerprints come from outside and are compared as they are; memory is bounded by `mostRemembered`, and what is forgotten
 *      counts as news.
 * LD-7 A row of `no_news` is not made longer by a call that asks elsewhere, twelve times at most: to look for one thing in other
 *      places is another question each time, even if nothing is found.
 */
import { CallRows } from "./loop-rows.ts";
import type { AskedCall, LoopCall, RowCount } from "./loop-rows.ts";
import { resolveLoopThresholds } from "./loop-thresholds.ts";
import type { LoopPattern, LoopThresholds, Rungs } from "./loop-thresholds.ts";

export type LoopReaction = "nudge" | "block" | "stop";

export interface LoopFinding {
  readonly reaction: LoopReaction;
  readonly pattern: LoopPattern;
  /** Repetitions, in the pattern's own unit: calls, rounds or texts. */
  readonly count: number;
  /** Absent for texts. */
  readonly tool?: string | undefined;
}

/** One answer of a model, as fingerprints. */
export interface LoopText {
  readonly text: string;
  readonly request: string;
  /** The last answer that the request itself holds, when it is a conversation. */
  readonly lastAnswer?: string | undefined;
}

interface Told {
  readonly pattern: LoopPattern;
  readonly reaction: LoopReaction;
}

const reactions = ["stop", "block", "nudge"] as const;

/** One attempt's calls and texts. Pure but for its own memory; takes no time. */
export class LoopDetector {
  readonly #thresholds: LoopThresholds;
  readonly #rows = new CallRows();
  #text: (LoopText & { readonly count: number }) | undefined;
  readonly #told: { calls?: Told | undefined; texts?: Told | undefined } = {};

  /** Throws RangeError naming a threshold that cannot work. */
  constructor(thresholds: Partial<LoopThresholds> = {}) {
    this.#thresholds = resolveLoopThresholds(thresholds);
  }

  /** Before a call: why it must not be made, if it would go on with a row that has reached its block. Changes nothing. */
  check(call: AskedCall & Pick<LoopCall, "isPolling">): LoopFinding | undefined {
    if (call.isPolling) return undefined;
    return this.#worst(this.#rows.goingOn(call), call.tool, ["block"]);
  }

  /** A call that `check` refused was asked for: the row goes on. */
  blocked(call: AskedCall): LoopFinding | undefined {
    this.#rows.extend(call);
    return this.#tell(this.#rows.counts(), call.tool);
  }

  /** A call has ended, well or not. */
  called(call: LoopCall): LoopFinding | undefined {
    const hasNews = this.#rows.add(call);
    if (hasNews) this.#text = undefined;
    return this.#tell(this.#rows.counts(), call.tool);
  }

  /** A model has answered. Empty texts, such as those of pure tool calls, are not to be told. */
  said(said: LoopText): LoopFinding | undefined {
    const row = this.#text;
    const goesOn =
      row !== undefined &&
      row.text === said.text &&
      (row.request === said.request || said.lastAnswer === row.text);
    this.#text = { ...said, count: goesOn ? row.count + 1 : 1 };
    const { count } = this.#text;
    return this.#once("texts", this.#worst([{ pattern: "text", count }], undefined, reactions));
  }

  /** What stands now, told or not: for whoever could not act on it when it was told (a grace that is over). */
  standing(): LoopFinding | undefined {
    const counts = [...this.#rows.counts(), ...this.#textCount()];
    return this.#worst(counts, this.#rows.lastTool, reactions);
  }

  #textCount(): readonly RowCount[] {
    return this.#text === undefined ? [] : [{ pattern: "text", count: this.#text.count }];
  }

  #tell(counts: readonly RowCount[], tool: string): LoopFinding | undefined {
    return this.#once("calls", this.#worst(counts, tool, reactions));
  }

  /** LD-1 */
  #once(row: "calls" | "texts", finding: LoopFinding | undefined): LoopFinding | undefined {
    const told = this.#told[row];
    this.#told[row] = finding;
    const isKnown = finding?.pattern === told?.pattern && finding?.reaction === told?.reaction;
    return isKnown ? undefined : finding;
  }

  #worst(
    counts: readonly RowCount[],
    tool: string | undefined,
    among: readonly LoopReaction[],
  ): LoopFinding | undefined {
    for (const reaction of among) {
      const hit = counts.find(
        ({ pattern, count }) => count >= rung(this.#thresholds[pattern], reaction),
      );
      if (hit === undefined) continue;
      const { pattern, count } = hit;
      return pattern === "text" || tool === undefined
        ? { reaction, pattern, count }
        : { reaction, pattern, count, tool };
    }
    return undefined;
  }
}

function rung(rungs: Rungs, reaction: LoopReaction): number {
  return rungs[reaction];
}
