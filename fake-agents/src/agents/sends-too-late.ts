import { request } from "node:http";

import { defineAgent } from "@bridle/agent";

import { pause } from "./pause.ts";

export interface SendsTooLateInput {
  readonly model: string;
  /** Size of the session that each attempt carries. */
  readonly promptTokens: number;
  /** Given: it goes to this provider by itself, past every guard, as the loop of the article did. */
  readonly naive?: {
    readonly url: string;
    readonly forMs: number;
    /** From one attempt to the next. */
    readonly everyMs: number;
  };
}

/** A fake token is four bytes. */
const word = "four";

/**
 * The 20-dollar minute: after one idle timeout every attempt starts with its deadline already passed. The naive loop sends all the
 * same, is billed for the whole session, aborts at once and tries again.
 */
export const sendsTooLate = defineAgent<SendsTooLateInput, { readonly attempts: number }>({
  name: "sends-too-late",
  module: import.meta.url,
  async run(ctx, { model, promptTokens, naive }) {
    const prompt = word.repeat(promptTokens);
    const endsAt = naive === undefined ? Infinity : performance.now() + naive.forMs;
    let attempts = 0;
    for (; performance.now() < endsAt && !ctx.signal.aborted; attempts += 1) {
      const attempt =
        naive === undefined
          ? ctx.llm(model, { prompt, maxOutputTokens: 200 })
          : sendAndAbort(naive, { model, prompt });
      // oxlint-disable-next-line no-await-in-loop -- the loop is the fault under test
      await attempt.catch(async () => pause(20, ctx.signal));
    }
    return { attempts };
  },
});

async function sendAndAbort(
  { url, everyMs }: NonNullable<SendsTooLateInput["naive"]>,
  { model, prompt }: { readonly model: string; readonly prompt: string },
): Promise<void> {
  const next = pause(everyMs);
  const body = JSON.stringify({ model, messages: [{ role: "user", content: prompt }] });
  const outgoing = request(`${url}/chat/completions`, { method: "POST" });
  // Its own abort is what ends it.
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  await next;
  outgoing.destroy();
}
