/**
 * The loop detector at work in one attempt (WD-18): nudge, then refuse the call, then end the task as FAILED(loop).
 *
 * LW-1 A nudge is a hint to the agent and stops nothing, so it comes at once. Blocks and stops are verdicts: within the task's grace,
 *      and where the watchdog only warns, they are told as `would_loop` and nothing else (WD-10, GC-4).
 * LW-2 What was held back by the grace is judged afresh at the next call after it.
 * LW-3 A result that an earlier attempt had stored is no call and is not told here.
 */
import type { AnyTool, GuardMode } from "@bridle/agent";
import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";
import type { EventOf, JournalEvent, ModelRequest, Spender } from "@bridle/protocol";
import { LoopDetector } from "@bridle/watchdog";
import type { LoopCall, LoopFinding, LoopThresholds } from "@bridle/watchdog";

import type { StopRequest } from "./attempt-scope.ts";
import { fingerprintOf, fingerprintOfJson, fingerprintsOfTexts } from "./fingerprint.ts";
import { loopHint } from "./loop-hint.ts";
import type { ToolEnding } from "./tool-outcome.ts";

export interface LoopWatchOptions {
  readonly spender: Spender;
  readonly clock: Clock;
  readonly mode: GuardMode;
  /** Instant of the monotonic clock until which nothing is stopped (WD-10). */
  readonly graceUntilMs: number;
  readonly journal: (event: JournalEvent) => void;
  readonly stop: (request: StopRequest) => void;
  /** Tells the agent; contract: never throws. */
  readonly nudge: (hint: string) => void;
  /** Absent: as shipped. */
  readonly thresholds?: Partial<LoopThresholds> | undefined;
}

type Asked = Omit<LoopCall, "result" | "failed">;

export class LoopWatch {
  readonly #options: LoopWatchOptions;
  readonly #detector: LoopDetector;
  #isHeldBack = false;
  #answers = 0;

  constructor(options: LoopWatchOptions) {
    this.#options = options;
    this.#detector = new LoopDetector(options.thresholds);
  }

  /** Throws `loop_blocked` for a call that would only go on with a loop. */
  before(step: number, tool: AnyTool, argsText: string): void {
    if (this.#options.mode === "off") return;
    const asked = askedOf(tool, argsText);
    const refusal = this.#detector.check(asked);
    if (refusal === undefined || !this.#isEnforced()) return;
    this.#act(step, this.#detector.blocked(asked));
    throw bridleError("loop_blocked", { message: loopHint(refusal), details: { ...refusal } });
  }

  called(step: number, { tool, argsText, ending }: EndedCall): void {
    if (this.#options.mode === "off") return;
    const failed = ending.kind === "error";
    const result = fingerprintOf(failed ? `${ending.code}: ${ending.message}` : ending.text);
    this.#act(step, this.#detector.called({ ...askedOf(tool, argsText), result, failed }));
  }

  /** Before a model call: for `said`. */
  get answers(): number {
    return this.#answers;
  }

  /**
   * A model has answered with this text. `heard`: what `answers` was when it was asked. Who asks the same several times at once
   * wants several samples and has not seen an answer it could repeat.
   */
  said(step: number, { request, text, heard }: Answer): void {
    const isSample = heard !== this.#answers;
    this.#answers += 1;
    if (this.#options.mode === "off" || text.trim() === "" || isSample) return;
    const last = request.messages?.findLast(({ role }) => role === "assistant");
    const finding = this.#detector.said({
      text: fingerprintOf(text),
      request: fingerprintOf(JSON.stringify(request)),
      ...(last === undefined ? {} : { lastAnswer: fingerprintOf(last.content) }),
    });
    this.#act(step, finding);
  }

  #act(step: number, told: LoopFinding | undefined): void {
    const isEnforced = this.#isEnforced();
    const finding =
      told ?? (this.#isHeldBack && isEnforced ? this.#detector.standing() : undefined);
    if (finding === undefined) return;
    const isVerdict = finding.reaction !== "nudge";
    this.#isHeldBack = isVerdict && !isEnforced;
    const event = this.#event(step, finding);
    if (this.#options.mode === "warn" || this.#isHeldBack) {
      this.#options.journal({ ...event, type: "would_loop" });
      return;
    }
    if (finding.reaction === "stop") this.#stop(event, finding);
    else this.#options.journal(event);
    if (finding.reaction === "nudge") this.#options.nudge(loopHint(finding));
  }

  #stop(mark: EventOf<"task.looping">, finding: LoopFinding): void {
    const evidence = { ...finding, step: mark.step };
    this.#options.stop({
      cause: "loop",
      error: bridleError("task_loop", { message: loopHint(finding), details: evidence }),
      mark,
      acceptsResult: true,
      evidence,
    });
  }

  #event(step: number, { reaction, pattern, count, tool }: LoopFinding): EventOf<"task.looping"> {
    const { spender, clock } = this.#options;
    const base = { type: "task.looping", ...spender, at: clock.wallMs(), step } as const;
    return { ...base, reaction, pattern, count, ...(tool === undefined ? {} : { tool }) };
  }

  #isEnforced(): boolean {
    const { mode, clock, graceUntilMs } = this.#options;
    return mode === "enforce" && clock.monotonicMs() >= graceUntilMs;
  }
}

export interface Answer {
  readonly request: ModelRequest;
  readonly text: string;
  readonly heard: number;
}

export interface EndedCall {
  readonly tool: AnyTool;
  readonly argsText: string;
  readonly ending: ToolEnding;
}

function askedOf({ name, polling, sideEffects }: AnyTool, argsText: string): Asked {
  return {
    tool: name,
    args: fingerprintOfJson(argsText),
    texts: fingerprintsOfTexts(argsText),
    isPolling: polling,
    hasEffect: sideEffects,
  };
}
