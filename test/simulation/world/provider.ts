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
}

export interface ProviderOptions {
  readonly time: SimulationTime;
  readonly weather: Weather;
  readonly random: Random;
  readonly latencyMs: number;
  readonly onCall: (call: WireCall) => void;
}

/** A third target's worth of models: one with a fallback, one without. */
const chains: Readonly<Record<string, readonly string[]>> = {
  large: ["north/large", "south/large"],
  small: ["north/small"],
};
export const modelNames = Object.keys(chains);
export const longestChain = 2;
const maxOutputTokens = 50;

const failures: Readonly<Partial<Record<ProviderFault, Omit<WireFailure, "message">>>> = {
  rate_limit: { status: 429, headers: { "retry-after": "3" }, stage: "before_output" },
  overloaded: { status: 529, stage: "before_output" },
  server_error: { status: 500, stage: "before_output" },
  reset: { networkCode: "ECONNRESET", stage: "before_output" },
  auth: { status: 401, stage: "before_output" },
  malformed: { status: 200, malformed: true, stage: "before_output" },
};

export class Provider {
  readonly #options: ProviderOptions;

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

  #target(key: string, actor: Actor): ModelTarget {
    return { key, stream: (request) => this.#stream(key, actor, request) };
  }

  async *#stream(target: string, actor: Actor, request: WireRequest): AsyncGenerator<WirePart> {
    if (actor.isDead) await new Promise<never>(() => {});
    const { time, random, weather, latencyMs, onCall } = this.#options;
    const tag = fromPrompt(request.messages.at(-1)?.content ?? "");
    onCall({ ...tag, actor, target, step: stepOf(request.traceparent) });
    const fault = weather.provider(target);
    await time.sleep(fault === "slow" ? 20_000 : 1 + random.next() * latencyMs);
    if (fault === "hang") await new Promise<never>(() => {});
    const failure = fault && failures[fault];
    if (failure !== undefined) throw new WireError({ ...failure, message: `simulated ${fault}` });
    yield { type: "text", text: "so be " };
    await time.sleep(random.next() * latencyMs);
    if (fault === "cut") {
      throw new WireError({ networkCode: "ECONNRESET", stage: "after_output", message: "cut" });
    }
    yield { type: "text", text: "it" };
    const outputTokens = tag.overspends ? request.maxOutputTokens * 3 : 10;
    yield { type: "usage", usage: { inputTokens: 12, outputTokens } };
    yield { type: "finish", reason: "stop", raw: "stop" };
  }
}

/** The span id of a step's trace header is its number. */
function stepOf(traceparent: string | undefined): number {
  return Number.parseInt(traceparent?.split("-")[2] ?? "", 16);
}
