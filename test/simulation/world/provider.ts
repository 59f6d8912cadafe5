import type { Random } from "@bridle/kernel";
/** The model provider: answers, fails as the weather says, and counts what was really asked of it. */
import type { ModelCatalog } from "@bridle/llm";
import { WireError } from "@bridle/ports";
import type { ModelTarget, WireFailure, WirePart, WireRequest } from "@bridle/ports";

import type { ProviderFault } from "../scenario/scenario.ts";
import type { Actor } from "./actor.ts";
import { fromPrompt } from "./call-tag.ts";
import type { CallTag } from "./call-tag.ts";
import type { SimulationTime } from "./simulation-time.ts";
import type { Weather } from "./weather.ts";

export interface WireCall extends CallTag {
  readonly actor: Actor;
  readonly target: string;
  /** The step whose call this is, as the trace header says. */
  readonly step: number;
  /** Its worker's monotonic clock. */
  readonly atMs: number;
}

export interface ProviderOptions {
  readonly time: SimulationTime;
  readonly weather: Weather;
  readonly random: Random;
  readonly latencyMs: number;
  readonly onCall: (call: WireCall) => void;
  /** It answered that it must not be asked before then, by the worker's clock. */
  readonly onThrottled: (call: WireCall & { readonly untilMs: number }) => void;
}

/** Two providers with fallbacks of two and three targets, and a model without one. */
const chains = {
  large: ["north/large", "south/large"],
  small: ["north/small"],
  wide: ["south/wide", "north/large", "south/large"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export const modelNames = Object.keys(chains);
export const longestChain = 3;
const maxOutputTokens = 50;

/** Which model an agent asks for its number. */
export function modelOf(number: number): string {
  return modelNames[number % modelNames.length] ?? "small";
}

const failures: Readonly<Partial<Record<ProviderFault, Omit<WireFailure, "message">>>> = {
  overloaded: { status: 529, stage: "before_output" },
  server_error: { status: 500, stage: "before_output" },
  reset: { networkCode: "ECONNRESET", stage: "before_output" },
  auth: { status: 401, stage: "before_output" },
  malformed: { status: 200, malformed: true, stage: "before_output" },
};

/** Beyond a minute nobody waits with a task in hand. */
const waitsSeconds = [3, 10, 90] as const;
/** A long answer comes in pieces; between two of them less than the two minutes after which a silent call is given up. */
const thinkingPieces = 3;

export class Provider {
  readonly #options: ProviderOptions;
  readonly #out = new Map<string, number>();

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The models as one worker process reaches them. */
  catalogFor(actor: Actor): ModelCatalog {
    // Nano-USD a token.
    const price = { input: 1000, output: 4000 };
    const models = Object.entries(chains).map(([name, keys]) => ({
      name,
      chain: keys.map((key) => ({ target: this.#target(key, actor), price, maxOutputTokens })),
    }));
    return { find: (name) => models.find((model) => model.name === name) };
  }

  /** Whether a call of the step has been sent and neither answered nor given up. */
  isOut(call: Pick<WireCall, "runId" | "taskId" | "attempt" | "step">): boolean {
    return (this.#out.get(stepKey(call)) ?? 0) > 0;
  }

  #target(key: string, actor: Actor): ModelTarget {
    return { key, stream: (request) => this.#stream(key, actor, request) };
  }

  async *#stream(target: string, actor: Actor, request: WireRequest): AsyncGenerator<WirePart> {
    if (actor.isDead) await new Promise<never>(() => {});
    const tag = fromPrompt(request.messages.at(-1)?.content ?? "");
    const atMs = actor.clock.monotonicMs();
    const call = { ...tag, actor, target, step: stepOf(request.traceparent), atMs };
    const close = this.#open(call);
    request.signal.addEventListener("abort", close, { once: true });
    this.#options.onCall(call);
    try {
      yield* this.#answer(call, request);
    } finally {
      close();
    }
  }

  async *#answer(call: WireCall, request: WireRequest): AsyncGenerator<WirePart> {
    const { time, random, weather, latencyMs } = this.#options;
    const fault = weather.provider(call.target);
    await time.sleep(fault === "slow" ? 20_000 : 1 + random.next() * latencyMs);
    if (fault === "hang") await new Promise<never>(() => {});
    if (fault === "rate_limit") throw this.#throttled(call);
    const failure = fault && failures[fault];
    if (failure !== undefined) throw new WireError({ ...failure, message: `simulated ${fault}` });
    yield { type: "text", text: "so be " };
    if (call.manner === "think") yield* this.#thinking();
    await time.sleep(random.next() * latencyMs);
    if (fault === "cut") {
      throw new WireError({ networkCode: "ECONNRESET", stage: "after_output", message: "cut" });
    }
    yield { type: "text", text: "it" };
    const outputTokens = call.manner === "overspend" ? request.maxOutputTokens * 3 : 10;
    yield { type: "usage", usage: { inputTokens: 12, outputTokens } };
    yield { type: "finish", reason: "stop", raw: "stop" };
  }

  /** Longer than a hold lasts without renewal. */
  async *#thinking(): AsyncGenerator<WirePart> {
    const { time, random } = this.#options;
    for (let piece = 0; piece < thinkingPieces; piece++) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      await time.sleep(20_000 + random.next() * 30_000);
      yield { type: "text", text: "well " };
    }
  }

  #throttled(call: WireCall): WireError {
    const { random, onThrottled } = this.#options;
    const seconds = waitsSeconds[Math.floor(random.next() * waitsSeconds.length)] ?? 3;
    onThrottled({ ...call, untilMs: call.actor.clock.monotonicMs() + seconds * 1000 });
    return new WireError({
      status: 429,
      headers: { "retry-after": String(seconds) },
      stage: "before_output",
      message: "simulated rate_limit",
    });
  }

  #open(call: WireCall): () => void {
    const key = stepKey(call);
    this.#out.set(key, (this.#out.get(key) ?? 0) + 1);
    let isOpen = true;
    return () => {
      if (isOpen) this.#out.set(key, (this.#out.get(key) ?? 1) - 1);
      isOpen = false;
    };
  }
}

function stepKey({
  runId,
  taskId,
  attempt,
  step,
}: Pick<WireCall, "runId" | "taskId" | "attempt" | "step">): string {
  return `${runId}/${taskId}#${attempt} step ${step}`;
}

/** The span id of a step's trace header is its number. */
function stepOf(traceparent: string | undefined): number {
  return Number.parseInt(traceparent?.split("-")[2] ?? "", 16);
}
