import type { Bus } from "@bridle/bus";
import type { Clock } from "@bridle/kernel";
import { StepTimeouts } from "@bridle/watchdog";
import type { FinishedCall, StepTimeout, TimedKind } from "@bridle/watchdog";

import type { RunnerSettings } from "../runner-settings.ts";

export interface CallTimeoutsOptions {
  readonly settings: Pick<
    RunnerSettings,
    "modelStepTimeoutMs" | "toolStepTimeoutMs" | "stepTimeoutMultiplier"
  >;
  readonly bus: Pick<Bus, "emit">;
  readonly clock: Clock;
}

/** What became of a call: `left` for a failure, an abort, a refusal, which say nothing about how long calls take. */
export type CallEnding = "completed" | "timed_out" | "left";

/**
 * The worker's step timeouts (WD-8): each model target and each tool has its own, learnt from the calls of all tasks here.
 * A raise is told as `timeout.raised`.
 */
export class CallTimeouts {
  readonly #timeouts: StepTimeouts;
  readonly #options: CallTimeoutsOptions;

  constructor(options: CallTimeoutsOptions) {
    const { modelStepTimeoutMs, toolStepTimeoutMs, stepTimeoutMultiplier } = options.settings;
    this.#options = options;
    this.#timeouts = new StepTimeouts({
      multiplier: stepTimeoutMultiplier,
      mostMs: { llm: modelStepTimeoutMs, tool: toolStepTimeoutMs },
    });
  }

  /** `explicitMs`: what a workflow or a tool says itself, which nothing learnt replaces. */
  of(kind: TimedKind, key: string, explicitMs: number | undefined): StepTimeout {
    return this.#timeouts.timeoutOf(kind, key, explicitMs);
  }

  /** Of a model call: more time for a long prompt, on top of what is learnt (WD-9). */
  ofPrompt(
    target: string,
    explicitMs: number | undefined,
    promptTokens: number | undefined,
  ): StepTimeout {
    const timeout = this.of("llm", target, explicitMs);
    if (!timeout.adaptive) return timeout;
    const timeoutMs = Math.round(timeout.timeoutMs * promptScale(promptTokens ?? 0));
    return { ...timeout, timeoutMs };
  }

  /** `durationMs`: what the call's clock judged; undefined when it had none. */
  ended(
    call: Omit<FinishedCall, "outcome" | "durationMs">,
    durationMs: number | undefined,
    ending: CallEnding,
  ): void {
    if (durationMs === undefined || ending === "left") return;
    const raise = this.#timeouts.record({ ...call, durationMs, outcome: ending });
    if (raise === undefined) return;
    const { bus, clock } = this.#options;
    const timeoutMs = Math.round(raise.timeoutMs);
    bus.emit({ type: "timeout.raised", at: clock.wallMs(), ...raise, timeoutMs });
  }
}

/** Prompts from so many tokens on are given so much more. */
const promptScales = [
  [200_000, 2],
  [100_000, 1.5],
  [50_000, 1.25],
] as const;

function promptScale(tokens: number): number {
  return promptScales.find(([least]) => tokens >= least)?.[1] ?? 1;
}
