import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeCounters, FakeReply } from "@bridle/fake-agents/fake-llm";
import { seededRandom } from "@bridle/kernel/testing";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import { WireError } from "@bridle/ports";
import type { GuardedFetch, WirePart } from "@bridle/ports";
import { createFetch } from "@bridle/transport";
import { describe, expect, it } from "vitest";

import { ActorClock } from "../../simulation/world/actor-clock.ts";
import { SimulationTime, takeTurns } from "../../simulation/world/simulation-time.ts";
import { VirtualProvider } from "./virtual-provider.ts";

interface Heard {
  /** But for signs of life: how often there are some depends on how the network cuts the bytes up. */
  readonly parts: readonly WirePart[];
  /** HTTP status of a failure. */
  readonly failed?: number | undefined;
  readonly counters: FakeCounters;
}

type Heeded = Omit<Heard, "counters">;

/** One call by the product's own adapter. */
async function ask(baseUrl: string, fetch: GuardedFetch, signal: AbortSignal): Promise<Heeded> {
  const target = createOpenAiCompatibleTarget({
    provider: "fake",
    model: "any",
    baseUrl,
    apiKey: () => "sk-any",
    fetch,
  });
  const messages = [{ role: "user" as const, content: "Search\nQuery: the origin of bridles" }];
  const parts: WirePart[] = [];
  try {
    for await (const part of target.stream({ messages, maxOutputTokens: 12, signal })) {
      if (part.type !== "activity") parts.push(part);
    }
    return { parts };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { parts, failed: error.failure.status };
  }
}

async function overHttp(reply: FakeReply): Promise<Heard> {
  const provider = await startFakeProvider({ script: () => reply });
  const fetch = createFetch();
  try {
    const heeded = await ask(provider.url, fetch, new AbortController().signal);
    await expect.poll(() => provider.counters().open).toBe(0);
    return { ...heeded, counters: provider.counters() };
  } finally {
    await fetch.close();
    await provider.close();
  }
}

async function inVirtualTime(
  reply: FakeReply,
  { abortAfterMs }: { readonly abortAfterMs?: number } = {},
): Promise<Heard> {
  const time = new SimulationTime();
  const faults: unknown[] = [];
  const provider = new VirtualProvider({
    time,
    random: seededRandom(1),
    latencyMs: 40,
    clock: new ActorClock(time),
    script: () => reply,
    onFault: (error) => faults.push(error),
  });
  const asking = new AbortController();
  if (abortAfterMs !== undefined) time.at(abortAfterMs, () => asking.abort(new Error("enough")));
  const heeding = ask(provider.url, provider.fetch, asking.signal);
  await takeTurns(() => time.step());
  expect(faults).toEqual([]);
  return { ...(await heeding), counters: provider.counters() };
}

const replies: readonly (readonly [string, FakeReply])[] = [
  ["an honest answer, cut at its limit", { type: "answer" }],
  ["an answer beyond its limit", { type: "answer", ignoreMaxTokens: true, delayMs: 1 }],
  ["an answer without a bill", { type: "answer", text: "Short.", usage: "missing" }],
  [
    "an answer with a bill of its own",
    { type: "answer", usage: { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 } },
  ],
  ["an error", { type: "status", status: 500 }],
  [
    "an error in the stream",
    { type: "error_in_200", error: { message: "no" }, afterCharacters: 9 },
  ],
];

describe("the provider in virtual time", () => {
  it.each(replies)("gives and counts the same as over HTTP: %s", async (_what, reply) => {
    const virtual = await inVirtualTime(reply);
    expect(virtual).toEqual(await overHttp(reply));
    // The control: it was asked.
    expect(virtual.counters.requests).toBe(1);
  });

  it("hears that its caller has gone, and closes", async () => {
    const { parts, counters } = await inVirtualTime(
      { type: "hang", at: "headers" },
      { abortAfterMs: 500 },
    );
    expect(parts).toEqual([]);
    expect(counters).toMatchObject({ requests: 1, open: 0, abandoned: 1 });
  });

  it("pings only as long as somebody listens", async () => {
    const { counters } = await inVirtualTime(
      { type: "ping_flood", everyMs: 20 },
      { abortAfterMs: 500 },
    );
    expect(counters).toMatchObject({ requests: 1, open: 0, abandoned: 1 });
  });
});
