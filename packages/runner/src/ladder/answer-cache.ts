/**
 * Answers of cacheable calls, as one worker sees them: those in the store, and those of calls under way.
 *
 * C1. Only what a model answered in full is kept, under the family that answered it: an answer of a fallback never passes for one
 *     of the model that was asked for. A cut answer, a refusal by the model's filter and an empty one are not kept.
 * C2. A cached answer is never a probe: it takes no permit, so that no breaker closes on it (BU-18).
 * C3. The store of answers may be away, slow to forget or empty: then the call is made. It never fails a step.
 * C4. A call for the same that is under way may be waited for; its failure is its own, and whoever waited asks for himself.
 */
import type { Clock } from "@bridle/kernel";
import type { ResultCache } from "@bridle/ports";
import { modelResponseSchema } from "@bridle/protocol";
import type { ModelRequest, ModelResponse } from "@bridle/protocol";

import { cacheKey, modelFamily } from "./cache-key.ts";

export interface AnswerCacheOptions {
  readonly cache: ResultCache;
  readonly clock: Clock;
  readonly maxAgeMs: number;
  readonly maxEntries: number;
}

export interface Question {
  /** `provider/model`, in the order in which they would be asked. */
  readonly targets: readonly string[];
  readonly request: ModelRequest;
  readonly tenant: string | undefined;
}

export interface GivenBefore {
  readonly response: ModelResponse;
  /** The target in whose place the answer stands. */
  readonly target: string;
  readonly ageMs: number;
}

/** Longer answers are not kept: together with the bound on entries this bounds the store (64 MiB at 2,000). */
const mostBodyBytes = 32_768;

export class AnswerCache {
  readonly #options: AnswerCacheOptions;
  readonly #flights = new Map<string, Promise<ModelResponse>>();

  constructor(options: AnswerCacheOptions) {
    this.#options = options;
  }

  /** Calls under way that others may wait for. */
  get flights(): number {
    return this.#flights.size;
  }

  async find({ targets, request, tenant }: Question): Promise<GivenBefore | undefined> {
    const { cache, clock, maxAgeMs } = this.#options;
    const nowMs = clock.wallMs();
    for (const target of targets) {
      const key = cacheKey({ target, request, tenant });
      // oxlint-disable-next-line no-await-in-loop -- the next model's answer counts only when the wanted one has none
      const found = await cache.get(key, nowMs - maxAgeMs).catch(() => undefined);
      const response = found === undefined ? undefined : readAnswer(found.body);
      if (found === undefined || response === undefined) continue;
      return { response, target, ageMs: Math.max(0, Math.round(nowMs - found.storedAt)) };
    }
    return undefined;
  }

  /** The answer of a call for the same that is under way; undefined when there is none. Rejects as that call does. */
  underWay(question: Question): Promise<ModelResponse> | undefined {
    return this.#flights.get(flightKey(question));
  }

  /** Makes the call, keeps its answer, and lets others wait for it. The first of several leads. */
  async lead<Answer extends { readonly response: ModelResponse }>(
    question: Question,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    const key = flightKey(question);
    const answering = call();
    const isFirst = !this.#flights.has(key);
    if (isFirst) this.#flights.set(key, responseOf(answering));
    try {
      const answer = await answering;
      await this.#keep(question, answer.response);
      return answer;
    } finally {
      if (isFirst) this.#flights.delete(key);
    }
  }

  async #keep({ request, tenant }: Question, response: ModelResponse): Promise<void> {
    const { cache, clock, maxAgeMs, maxEntries } = this.#options;
    if (!isWhole(response)) return;
    const body = JSON.stringify(response);
    if (Buffer.byteLength(body, "utf8") > mostBodyBytes) return;
    const at = clock.wallMs();
    const key = cacheKey({ target: response.servedBy, request, tenant });
    await cache
      .put({ key, body, at }, { maxEntries, olderThan: at - maxAgeMs })
      .catch(() => undefined);
  }
}

/** Whoever waits for it may be nobody: its failure is then nobody's, and must not count as unhandled. */
function responseOf(
  answering: Promise<{ readonly response: ModelResponse }>,
): Promise<ModelResponse> {
  const response = answering.then((answer) => answer.response);
  response.catch(() => undefined);
  return response;
}

function flightKey({ targets, request, tenant }: Question): string {
  return targets.map((target) => cacheKey({ target, request, tenant })).join();
}

/** C1. An answer that was itself given before is not given a longer life. */
function isWhole({ finishReason, text, cached }: ModelResponse): boolean {
  return finishReason === "stop" && text !== "" && cached !== true;
}

function readAnswer(body: string): ModelResponse | undefined {
  try {
    return modelResponseSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** Whether two targets are one family, so that an answer of one is an answer of the other. */
export function isSameFamily(left: string, right: string): boolean {
  return modelFamily(left) === modelFamily(right);
}
