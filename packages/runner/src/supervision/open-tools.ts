import type { AnyTool } from "@bridle/agent";
import type { ToolOutcome } from "@bridle/breaker";
import type { Amounts } from "@bridle/protocol";

import type { CallEnd } from "../admission/call-end.ts";
import type { OpenCall } from "../admission/open-call.ts";
import type { Step } from "./step-book.ts";

/** A tool call or a `ctx.step` between its begin and its end. */
export interface OpenTool {
  readonly step: Step;
  /** Undefined for `ctx.step`: it calls nothing itself. */
  readonly call: OpenCall | undefined;
  readonly tool: AnyTool | undefined;
  /** JSON text of a tool's arguments. */
  readonly argsText?: string | undefined;
  /** Key in the step journal, when its result is kept. */
  readonly key: string | undefined;
}

/** What an attempt has begun inside its isolate and not ended. */
export class OpenTools {
  readonly #open = new Map<number, OpenTool>();

  add(open: OpenTool): void {
    this.#open.set(open.step.number, open);
  }

  /** Takes it out: whoever gets it ends it. */
  take(step: number): OpenTool | undefined {
    const open = this.#open.get(step);
    this.#open.delete(step);
    return open;
  }

  takeAll(): readonly OpenTool[] {
    const all = [...this.#open.values()];
    this.#open.clear();
    return all;
  }
}

export function toolCost(tool: AnyTool): Amounts {
  return { tokens: tool.cost?.tokens ?? 0, nanoUsd: tool.cost?.nanoUsd ?? 0, calls: 1 };
}

/** A tool costs what it says, however it ended: whether a failed call is billed is the other side's word (BU-20). */
export function toolEnd(tool: AnyTool, outcome: ToolOutcome): CallEnd {
  return {
    outcome: { kind: "tool", outcome },
    actual: toolCost(tool),
    basis: outcome === "success" ? "usage" : "best_knowledge",
    completedProgress: outcome === "success",
  };
}
