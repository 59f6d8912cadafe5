/**
 * Makes one model call come out well or fail cheaply. Owns the loop over wire calls; the decisions are in `classify` and `decide`,
 * the money and the breakers behind `WireAdmission`, the wire behind `ModelTarget`.
 *
 * M1. Wire calls of one call ≤ `wireCallBound(targets)`, each admitted and settled on its own.
 * M2. Nobody else retries: targets make one request per stream.
 * M3. Between wire calls nothing is held, and an abort ends the wait at once (B109).
 * M4. A target that said "too many", to whichever call, is left alone until its wait is over (`RateLimits`).
 * M5. A model asked in place of the wanted one is always told of (`degraded`), and never asked when the caller forbids it.
 */
import { sleep } from "@bridle/kernel";
import type { Clock, Random } from "@bridle/kernel";
import type {
  ModelCall,
  ModelCallResult,
  ModelCaller,
  ModelPlan,
  TokenCounter,
} from "@bridle/ports";
import { addAmounts, noAmounts } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { AttemptRecord } from "./attempt-record.ts";
import type { PricedTarget } from "./call-cost.ts";
import { callError } from "./call-error.ts";
import { decide } from "./decide.ts";
import { InputEstimates } from "./input-estimates.ts";
import { isProviderRefusal } from "./is-provider-refusal.ts";
import type { AttemptVerdict } from "./judge-attempt.ts";
import type { ModelCatalog } from "./model-catalog.ts";
import { RateLimits } from "./rate-limits.ts";
import { readShouldRetry } from "./retry-after.ts";
import { targetsOf } from "./targets-of.ts";
import { toResponse } from "./to-response.ts";
import { waitOutLimit } from "./wait-out-limit.ts";
import { sendOnce } from "./wire-attempt.ts";
import type { AttemptResult } from "./wire-attempt.ts";

export interface ModelCallerOptions {
  readonly models: ModelCatalog;
  readonly clock: Clock;
  readonly random: Random;
  /** Longest time a wire call may go without output, where its target says nothing else. Default 120 s (WD-9). */
  readonly noOutputMs?: number | undefined;
  /** Counts input with the public tokenizers. Without it, and whenever it cannot say, input is estimated by runs of text. */
  readonly tokens?: TokenCounter | undefined;
}

const defaultNoOutputMs = 120_000;

export function createModelCaller(options: ModelCallerOptions): ModelCaller {
  const shared = { inputs: new InputEstimates(options.tokens), limits: new RateLimits() };
  return {
    call: async (call) => new CallLoop(options, shared, call).run(),
    plan: (name) => planOf(options.models, name),
  };
}

function planOf(models: ModelCatalog, name: string): ModelPlan | undefined {
  const model = models.find(name);
  if (model === undefined || model.chain.length === 0) return undefined;
  return { targets: model.chain.map(({ target }) => target.key), cheaper: model.cheaper };
}

type FailedVerdict = Exclude<AttemptVerdict, { readonly outcome: "success" }>;

/** What one call learns for the next. */
interface Shared {
  readonly inputs: InputEstimates;
  readonly limits: RateLimits;
}

/** The state of one call. */
class CallLoop {
  readonly #options: ModelCallerOptions;
  readonly #shared: Shared;
  readonly #call: ModelCall;
  readonly #targets: readonly PricedTarget[];
  /** The target that answers when all is well. */
  readonly #wanted: string | undefined;
  readonly #attempts: AttemptRecord[] = [];
  #targetIndex = 0;
  #triesOnTarget = 0;
  #wireCalls = 0;
  #spent: Amounts = noAmounts;

  constructor(options: ModelCallerOptions, shared: Shared, call: ModelCall) {
    this.#options = options;
    this.#shared = shared;
    this.#call = call;
    const targets = targetsOf(options.models, call);
    const rest = targets.filter(({ target }) => call.without?.has(target.key) !== true);
    this.#wanted = targets[0]?.target.key;
    this.#targets = rest.length > 0 ? rest : targets;
  }

  async run(): Promise<ModelCallResult> {
    for (;;) {
      const target = this.#target();
      // oxlint-disable-next-line no-await-in-loop -- one wire call after the other
      const result = await this.#send(target);
      if (result === undefined) continue;
      if (result.verdict.outcome === "success") return this.#success(target, result);
      // oxlint-disable-next-line no-await-in-loop -- the wait stands between wire calls
      await this.#recover(result, result.verdict);
    }
  }

  #target(): PricedTarget {
    const target = this.#targets[this.#targetIndex];
    if (target !== undefined) return target;
    throw new Error(
      "The call moved beyond the last target of its chain; decide() must surface first.",
    );
  }

  get #hasNextTarget(): boolean {
    return this.#targetIndex + 1 < this.#targets.length;
  }

  /** Undefined when the target may not be asked, by its own word or its breaker's, and the next one is to be. */
  async #send(priced: PricedTarget): Promise<AttemptResult | undefined> {
    const { clock, noOutputMs } = this.#options;
    const wireCall = this.#wireCalls + 1;
    if (await this.#isLimited(priced.target.key)) return undefined;
    const sentMs = clock.monotonicMs();
    try {
      const result = await sendOnce({
        call: this.#call,
        priced,
        clock,
        inputs: this.#shared.inputs,
        wireCall,
        noOutputMs: priced.noOutputMs ?? noOutputMs ?? defaultNoOutputMs,
      });
      this.#wireCalls = wireCall;
      this.#triesOnTarget += 1;
      this.#spent = addAmounts(this.#spent, result.actual);
      this.#learn(priced.target.key, sentMs, result);
      this.#report(priced, result);
      return result;
    } catch (error) {
      // BR-17: an open provider breaker moves to the next target of the chain; any other refusal is the caller's to hear.
      if (!this.#hasNextTarget || !isProviderRefusal(error)) throw error;
      this.#moveOn();
      return undefined;
    }
  }

  /** M4. False once the target may be asked, true when the next one is to be. Throws `model_rate_limited` when there is none. */
  async #isLimited(target: string): Promise<boolean> {
    const { clock, random } = this.#options;
    const { limits } = this.#shared;
    const retryAfterMs = await waitOutLimit({ limits, target, call: this.#call, clock, random });
    if (retryAfterMs === 0) return false;
    if (!this.#hasNextTarget) {
      throw callError({
        code: "model_rate_limited",
        model: this.#call.request.model,
        attempts: this.#attempts,
        partialText: "",
        retryAfterMs,
      });
    }
    this.#moveOn();
    return true;
  }

  #learn(target: string, sentMs: number, { verdict, retryAfterMs }: AttemptResult): void {
    const { limits } = this.#shared;
    if (verdict.outcome === "success") limits.answered(target);
    else if (verdict.class === "rate_limit") {
      const nowMs = this.#options.clock.monotonicMs();
      limits.note(target, { sentMs, nowMs, retryAfterMs });
    }
  }

  #report({ target }: PricedTarget, { verdict, retryAfterMs }: AttemptResult): void {
    const common = { type: "attempt", target: target.key, wireCall: this.#wireCalls } as const;
    if (verdict.outcome === "success") {
      this.#call.onEvent({ ...common, outcome: "success" });
      return;
    }
    const { status, message } = verdict.failure;
    const failed = { outcome: "failure", class: verdict.class, status, retryAfterMs } as const;
    this.#call.onEvent({ ...common, ...failed });
    this.#attempts.push({
      target: target.key,
      wireCall: this.#wireCalls,
      class: verdict.class,
      status,
      message,
    });
  }

  /** Waits, moves on, or throws what the caller is to see. */
  async #recover({ reading, retryAfterMs }: AttemptResult, verdict: FailedVerdict): Promise<void> {
    if (verdict.abortedBy !== undefined) throw verdict.abortedBy.reason as Error;
    const { clock, random } = this.#options;
    const { headers, stage } = verdict.failure;
    const decision = decide({
      class: verdict.class,
      stage,
      tries: this.#triesOnTarget,
      retryAfterMs,
      shouldRetry: readShouldRetry(headers),
      priority: this.#call.priority,
      hasNextTarget: this.#hasNextTarget,
      leftMs: this.#call.deadlineMs - clock.monotonicMs(),
      chance: random.next(),
    });
    const delayMs = decision.action === "retry" ? decision.delayMs : 0;
    this.#call.onEvent({
      type: "decision",
      action: decision.action,
      class: verdict.class,
      delayMs,
    });
    if (decision.action === "surface") {
      throw callError({
        code: decision.code,
        model: this.#call.request.model,
        attempts: this.#attempts,
        partialText: reading.text,
        retryAfterMs,
      });
    }
    if (decision.action === "next_target") this.#moveOn();
    else await sleep({ clock, ms: delayMs, signal: this.#call.signal });
  }

  #moveOn(): void {
    this.#targetIndex += 1;
    this.#triesOnTarget = 0;
  }

  #success(served: PricedTarget, { reading, input }: AttemptResult): ModelCallResult {
    const wanted = this.#wanted;
    const key = served.target.key;
    return {
      response: toResponse(key, reading, served, input),
      spent: this.#spent,
      degraded: key === wanted ? [] : [`model:${key} instead of ${wanted}`],
    };
  }
}
