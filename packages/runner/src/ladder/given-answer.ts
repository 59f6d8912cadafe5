import type { ModelCallResult } from "@bridle/ports";
import type { ModelResponse } from "@bridle/protocol";

import { untilAborted } from "../supervision/until-aborted.ts";
import { isSameFamily } from "./answer-cache.ts";
import type { AnswerCache, Question } from "./answer-cache.ts";

interface CachedTold {
  readonly target: string;
  readonly ageMs: number;
  /** It came from a call for the same that was under way. */
  readonly isShared: boolean;
}

export interface Asking {
  readonly cache: AnswerCache;
  readonly signal: AbortSignal;
  readonly onCached: (told: CachedTold) => void;
}

export type GivenAnswer = Pick<ModelCallResult, "response" | "degraded">;

/**
 * The answer to a question that need not be asked twice: from the store, of a call for the same that is under way, or of `call`.
 * Nothing is awaited between the look for a call under way and the beginning of one, so of several at once one goes out.
 */
export async function askOnce(
  asking: Asking,
  question: Question,
  call: () => Promise<GivenAnswer>,
): Promise<GivenAnswer> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- looked at again only after another's call failed
    const stored = await storedAnswer(asking, question);
    if (stored !== undefined) return stored;
    asking.signal.throwIfAborted();
    const flight = asking.cache.underWay(question);
    if (flight === undefined) return asking.cache.lead(question, call);
    // oxlint-disable-next-line no-await-in-loop -- see above
    const shared = await sharedAnswer(asking, question, flight);
    if (shared !== undefined) return shared;
  }
}

export async function storedAnswer(
  { cache, onCached }: Asking,
  question: Question,
): Promise<GivenAnswer | undefined> {
  const found = await cache.find(question);
  if (found === undefined) return undefined;
  const { target, ageMs, response } = found;
  onCached({ target, ageMs, isShared: false });
  return cachedAnswer(response, question, target);
}

/** Undefined when that call failed. Rejects only with the abort of whoever waits. */
async function sharedAnswer(
  { signal, onCached }: Asking,
  question: Question,
  flight: Promise<ModelResponse>,
): Promise<GivenAnswer | undefined> {
  const response = await untilAborted(flight, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (response === undefined) return undefined;
  onCached({ target: response.servedBy, ageMs: 0, isShared: true });
  return cachedAnswer(response, question, response.servedBy);
}

/** It costs nothing, so it counts no tokens. Another model's answer is told of, as when that model had been asked. */
function cachedAnswer(response: ModelResponse, { targets }: Question, target: string): GivenAnswer {
  const wanted = targets[0] ?? target;
  return {
    response: { ...response, inputTokens: 0, outputTokens: 0, cached: true },
    degraded: isSameFamily(target, wanted) ? [] : [`model:${target} instead of ${wanted}`],
  };
}
