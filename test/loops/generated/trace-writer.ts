import type { Random } from "@bridle/kernel";

import type { Trace, TraceStep } from "../trace.ts";

/** Writes a trace step by step, with drawn sizes. */
export class TraceWriter {
  readonly steps: TraceStep[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A whole number from `least` to `most`. */
  draw(least: number, most: number): number {
    return least + Math.floor(this.#random.next() * (most - least + 1));
  }

  /** Texts are results as they are, everything else as JSON. */
  call(tool: string, args: unknown, result: unknown = "ok"): void {
    this.#tool(tool, args, { result, isError: false });
  }

  fail(tool: string, args: unknown, message: string): void {
    this.#tool(tool, args, { result: message, isError: true });
  }

  say(text: string): void {
    this.steps.push({ kind: "text", text });
  }

  #tool(
    tool: string,
    args: unknown,
    { result, isError }: { readonly result: unknown; readonly isError: boolean },
  ): void {
    const text = typeof result === "string" ? result : JSON.stringify(result);
    this.steps.push({ kind: "tool", tool, arguments: args, result: text, isError });
  }
}

export interface Tools {
  readonly polling?: readonly string[];
  readonly effects?: readonly string[];
}

/** A kind of trace, of which each seed makes another. */
export interface Family extends Tools {
  readonly name: string;
  readonly why: string;
  /** Writes a trace. Of a loop: returns where its waste starts. */
  readonly write: (trace: TraceWriter) => number | void;
}

export interface Making {
  readonly label: Trace["label"];
  readonly seed: number;
  readonly random: Random;
}

export function make(family: Family, { label, seed, random }: Making): Trace {
  const { name, why, write, polling = [], effects = [] } = family;
  const writer = new TraceWriter(random);
  const loopStartsAt = write(writer) ?? undefined;
  const { steps } = writer;
  const tools = { pollingTools: polling, effectTools: effects };
  return { name: `${name}-${seed}`, label, why, loopStartsAt, ...tools, steps };
}
