import type { Price } from "@bridle/budget";
import { seededRandom, SimulatedClock } from "@bridle/kernel/testing";
import { WireError } from "@bridle/ports";
import type {
  ModelCall,
  ModelCallEvent,
  ModelTarget,
  WireAsk,
  WireEnd,
  WireFailure,
  WirePart,
  WireRequest,
} from "@bridle/ports";
import type { ModelRequest } from "@bridle/protocol";

import { createModelCaller } from "../src/index.ts";
import type { CatalogTarget } from "../src/index.ts";

/** What a scripted target does with one request. `hang` waits for the abort, `deaf` ignores even that. */
export type Step =
  | WirePart
  | { readonly type: "fail"; readonly failure: Partial<WireFailure> }
  | { readonly type: "throw"; readonly error: unknown }
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "hang" }
  | { readonly type: "deaf" };

export const text = (value: string): Step => ({ type: "text", text: value });
export const stop: Step = { type: "finish", reason: "stop", raw: "stop" };
export const usage = (inputTokens: number, outputTokens: number): Step => ({
  type: "usage",
  usage: { inputTokens, outputTokens },
});
export const fail = (failure: Partial<WireFailure>): Step => ({ type: "fail", failure });
export const hello: readonly Step[] = [text("hello"), usage(20, 5), stop];

export class ScriptedTarget implements ModelTarget {
  readonly key: string;
  readonly requests: WireRequest[] = [];
  readonly #clock: SimulatedClock;
  readonly #script: readonly (readonly Step[])[];

  constructor(key: string, clock: SimulatedClock, script: readonly (readonly Step[])[]) {
    this.key = key;
    this.#clock = clock;
    this.#script = script;
  }

  /** The last answer of the script is repeated for ever. */
  async *stream(request: WireRequest): AsyncGenerator<WirePart> {
    const steps = this.#script[Math.min(this.requests.length, this.#script.length - 1)] ?? [];
    this.requests.push(request);
    for (const step of steps) yield* this.#perform(step, request.signal);
  }

  async *#perform(step: Step, signal: AbortSignal): AsyncGenerator<WirePart> {
    if (step.type === "fail") {
      throw new WireError({ message: "scripted", stage: "before_output", ...step.failure });
    }
    if (step.type === "throw") throw step.error;
    if (step.type === "wait") {
      await new Promise<void>((resolve) => this.#clock.setTimer(step.ms, resolve));
    } else if (step.type === "deaf") await new Promise<never>(() => undefined);
    else if (step.type === "hang") {
      await new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      throw new WireError({ message: "aborted", stage: "before_output" });
    } else yield step;
  }
}

/** Input costs 10, output 30 nano-USD a token. */
const price: Price = { input: 10_000_000, output: 30_000_000 };

export interface BenchOptions {
  /** One script per target of the chain; a target answers `hello` when it has none. */
  readonly chain?: readonly (readonly (readonly Step[])[])[];
  readonly target?: Partial<CatalogTarget>;
  /** Targets of the chain, by index, whose price nobody knows. */
  readonly unpriced?: readonly number[];
  readonly call?: Partial<Omit<ModelCall, "request">>;
  readonly request?: Partial<ModelRequest>;
  /** Refuses the n-th admission (from 0) with this. */
  readonly refusals?: Readonly<Record<number, Error>>;
  /** Runs while the n-th permit is being got. */
  readonly onAdmit?: () => void;
}

/** A caller with everything around it scripted, and what it did. */
export function callBench(options: BenchOptions = {}) {
  const clock = new SimulatedClock();
  const scripts = options.chain ?? [[hello]];
  const targets = scripts.map(
    (script, index) => new ScriptedTarget(`fake/m${index}`, clock, script),
  );
  const chain = targets.map((target, index) => ({
    target,
    price: options.unpriced?.includes(index) === true ? undefined : price,
    maxOutputTokens: 100,
    ...options.target,
  }));
  const caller = createModelCaller({
    models: { find: (name) => (name === "smart" ? { name, chain } : undefined) },
    clock,
    random: seededRandom(1),
  });
  const asks: WireAsk[] = [];
  const ends: WireEnd[] = [];
  const events: ModelCallEvent[] = [];
  const deltas: string[] = [];
  const controller = new AbortController();
  let open = 0;
  const call: ModelCall = {
    request: { model: "smart", prompt: "x".repeat(32), ...options.request },
    admission: {
      admit: async (ask) => {
        const refusal = options.refusals?.[asks.length];
        asks.push(ask);
        if (refusal !== undefined) throw refusal;
        options.onAdmit?.();
        open += 1;
        return {
          end: async (end) => {
            open -= 1;
            ends.push(end);
          },
        };
      },
    },
    priority: "foreground",
    allowModelFallback: true,
    onDelta: (delta) => deltas.push(delta),
    onEvent: (event) => events.push(event),
    signal: controller.signal,
    deadlineMs: Number.POSITIVE_INFINITY,
    ...options.call,
  };
  return {
    clock,
    targets,
    asks,
    ends,
    events,
    deltas,
    openPermits: () => open,
    signal: controller.signal,
    abort: (reason: unknown) => controller.abort(reason),
    wireCalls: () => targets.map(({ requests }) => requests.length),
    decisions: () => events.filter((event) => event.type === "decision"),
    call: () => caller.call(call),
    /** Lets the call run to its end in simulated time. */
    async settle(ms = 10 ** 7) {
      const pending = caller.call(call).then(
        (result) => ({ result, error: undefined }),
        (error: unknown) => ({
          result: undefined,
          error: error as Error & { code?: string; details?: Record<string, unknown> },
        }),
      );
      await clock.advanceAsync(ms);
      return pending;
    },
  };
}
