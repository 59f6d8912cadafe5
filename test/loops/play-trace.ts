import { defineTool } from "@bridle/agent";
import type { AnyTool } from "@bridle/agent";
import { SimulatedClock } from "@bridle/kernel/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { Message } from "@bridle/protocol";
import type { LoopFinding, LoopThresholds } from "@bridle/watchdog";

import { LoopWatch } from "../../packages/runner/src/supervision/loop-watch.ts";
import type { Trace, TraceStep } from "./trace.ts";

export interface PlayOptions {
  readonly thresholds?: Partial<LoopThresholds>;
  /** `warn`: nothing is refused or stopped, as when the trace was recorded. Default `enforce`. */
  readonly mode?: "warn" | "enforce";
}

/** What the watchdog said at which step of a trace. */
export interface Told extends Pick<LoopFinding, "reaction" | "pattern" | "count"> {
  readonly step: number;
}

export interface Played {
  readonly trace: Trace;
  readonly told: readonly Told[];
  /** Calls that were not let through. */
  readonly refused: number;
  readonly isStopped: boolean;
}

/**
 * A trace before the runner's own loop watch: its fingerprints, its refusals, its ends. The agent in it is deaf: it takes no hint
 * and lets no refusal pass, so that what the watch would do is seen to its end. Texts are answers in one conversation that holds
 * all that went before.
 */
export function playTrace(trace: Trace, options: PlayOptions = {}): Played {
  const told: Told[] = [];
  let refused = 0;
  let isStopped = false;
  const hear = (event: { readonly type: string }): void => {
    if (event.type !== "task.looping" && event.type !== "would_loop") return;
    // Both carry a finding and the step.
    const { step, reaction, pattern, count } = event as Told & { readonly type: string };
    told.push({ step, reaction, pattern, count });
  };
  const watch = new LoopWatch({
    spender: { runId: asRunId("run_1"), taskId: asTaskId("task"), attempt: 1 },
    clock: new SimulatedClock(),
    mode: options.mode ?? "enforce",
    graceUntilMs: 0,
    journal: hear,
    stop: ({ mark }) => {
      if (mark !== undefined) hear(mark);
      isStopped = true;
    },
    nudge: () => {},
    thresholds: options.thresholds,
  });
  const player = new Player(trace, watch);
  for (const [index, step] of trace.steps.entries()) {
    if (isStopped) break;
    if (!player.play(index, step)) refused += 1;
  }
  return { trace, told, refused, isStopped };
}

class Player {
  readonly #watch: LoopWatch;
  readonly #tools: ReadonlyMap<string, AnyTool>;
  readonly #conversation: Message[] = [{ role: "user", content: "Do what is asked." }];

  constructor(trace: Trace, watch: LoopWatch) {
    this.#watch = watch;
    this.#tools = toolsOf(trace);
  }

  /** False if it was refused. */
  play(index: number, step: TraceStep): boolean {
    return step.kind === "text" ? this.#say(index, step.text) : this.#call(index, step);
  }

  #say(index: number, text: string): true {
    const request = { model: "any", messages: [...this.#conversation] };
    this.#watch.said(index, { request, text, heard: this.#watch.answers });
    this.#conversation.push({ role: "assistant", content: text });
    return true;
  }

  #call(index: number, step: Extract<TraceStep, { readonly kind: "tool" }>): boolean {
    const tool = this.#tools.get(step.tool);
    if (tool === undefined) throw new Error(`The trace has no tool "${step.tool}".`);
    const argsText = JSON.stringify(step.arguments);
    try {
      this.#watch.before(index, tool, argsText);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== "loop_blocked") throw error;
      return false;
    }
    this.#watch.called(index, { tool, argsText, ending: endingOf(step) });
    this.#conversation.push({ role: "user", content: step.result });
    return true;
  }
}

function endingOf({ isError, result }: { readonly isError: boolean; readonly result: string }) {
  return isError
    ? ({ kind: "error", code: "tool_failed", message: result } as const)
    : ({ kind: "result", text: JSON.stringify(result) } as const);
}

function toolsOf({ steps, pollingTools, effectTools = [] }: Trace): ReadonlyMap<string, AnyTool> {
  const names = new Set(steps.flatMap((step) => (step.kind === "tool" ? [step.tool] : [])));
  return new Map(
    [...names].map((name) => [
      name,
      defineTool({
        name,
        description: name,
        polling: pollingTools.includes(name),
        sideEffects: effectTools.includes(name),
        run: () => undefined,
      }),
    ]),
  );
}
