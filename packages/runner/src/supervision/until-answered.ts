import { CodedError } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import type { Feed, Inbox } from "@bridle/ports";
import type { Spender } from "@bridle/protocol";

import { deferred } from "../deferred.ts";

export interface AnswerQuestion {
  readonly inbox: Pick<Inbox, "answers">;
  readonly feed: Pick<Feed, "subscribe">;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly spender: Spender;
  readonly key: string;
  readonly signal: AbortSignal;
}

/**
 * What the scheduler answers this task under a key. The feed makes it fast, the poll makes it sure; a store that does not answer is
 * asked again. Rejects with the signal's reason.
 */
export async function untilAnswered(question: AnswerQuestion): Promise<string> {
  const { inbox, feed, spender, key, signal } = question;
  let hinted = deferred<void>();
  const unsubscribe = feed.subscribe("orders", (runId) => {
    if (runId === "" || runId === spender.runId) hinted.resolve();
  });
  try {
    for (;;) {
      signal.throwIfAborted();
      hinted = deferred<void>();
      // oxlint-disable-next-line no-await-in-loop -- asked again only after a pause
      const answer = await ask(inbox, spender, key);
      if (answer !== undefined) return answer;
      // oxlint-disable-next-line no-await-in-loop -- the pause
      await pause(question, hinted.promise);
    }
  } finally {
    unsubscribe();
  }
}

async function ask(
  inbox: AnswerQuestion["inbox"],
  { runId, taskId }: Spender,
  key: string,
): Promise<string | undefined> {
  try {
    return (await inbox.answers(runId, taskId, [key]))[0];
  } catch (error) {
    if (CodedError.is(error)) return undefined;
    throw error;
  }
}

/** Till a hint, the next poll, or the attempt's stop. */
async function pause(
  { clock, everyMs, signal }: AnswerQuestion,
  hinted: Promise<void>,
): Promise<void> {
  const over = deferred<void>();
  const ended = new AbortController();
  const timer = clock.setTimer(everyMs, over.resolve);
  signal.addEventListener("abort", () => over.resolve(), { once: true, signal: ended.signal });
  await Promise.race([over.promise, hinted]);
  timer.cancel();
  ended.abort();
}
