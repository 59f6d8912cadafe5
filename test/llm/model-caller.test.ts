import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeReply, FakeScript } from "@bridle/fake-agents/fake-llm";
import { seededRandom, SimulatedClock } from "@bridle/kernel/testing";
import { createModelCaller, wireCallBound } from "@bridle/llm";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import type { ModelCall, ModelCallEvent, WireAsk, WireEnd } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import { createFetch } from "@bridle/transport";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});

const price = { input: 1_000_000, output: 1_000_000 };

/** The whole stack from the caller to the provider's socket. Waits between wire calls pass in simulated time. */
async function start(script: FakeScript, models: readonly string[] = ["a"]) {
  const provider = await startFakeProvider({ script });
  const fetch = createFetch();
  endings.push(
    () => provider.close(),
    () => fetch.close(),
  );
  const chain = models.map((model) => ({
    target: createOpenAiCompatibleTarget({
      provider: "fake",
      model,
      baseUrl: provider.url,
      apiKey: () => "canary-key-0815",
      fetch,
    }),
    price,
    maxOutputTokens: 200,
  }));
  const clock = new SimulatedClock();
  const caller = createModelCaller({
    models: { find: (name) => ({ name, chain }) },
    clock,
    random: seededRandom(7),
  });
  const asks: WireAsk[] = [];
  const ends: WireEnd[] = [];
  const events: ModelCallEvent[] = [];
  const controller = new AbortController();
  const call = (more: Partial<ModelCall> = {}) =>
    caller.call({
      request: { model: "smart", prompt: "Hello there" },
      admission: {
        admit: async (ask) => {
          asks.push(ask);
          return { end: async (end) => void ends.push(end) };
        },
      },
      priority: "foreground",
      allowModelFallback: true,
      onEvent: (event) => {
        events.push(event);
        if (event.type === "decision") setImmediate(() => clock.advance(event.delayMs));
      },
      signal: controller.signal,
      deadlineMs: Number.POSITIVE_INFINITY,
      ...more,
    });
  return {
    provider,
    clock,
    asks,
    ends,
    events,
    call,
    abort: (reason: Error) => controller.abort(reason),
  };
}

const status = (code: number, headers: Record<string, string> = {}): FakeReply => ({
  type: "status",
  status: code,
  headers,
});

it("[X1] a call asks the provider once and is settled at exactly what the provider bills", async () => {
  const { provider, call, ends } = await start([{ type: "answer", text: "four tokens here" }]);
  const { response, degraded } = await call();
  expect([response.text, response.servedBy, degraded]).toEqual(["four tokens here", "fake/a", []]);
  const { requests, promptTokens, completionTokens } = provider.counters();
  expect(requests).toBe(1);
  expect(ends).toMatchObject([
    { outcome: "success", basis: "usage", actual: { tokens: promptTokens + completionTokens } },
  ]);
});

it("the caller has the first words while the provider still holds the answer open", async () => {
  const { provider, call } = await start([
    { type: "hang", at: "body", afterCharacters: 5, text: "hello world" },
  ]);
  const deltas: string[] = [];
  const openAtDelta: number[] = [];
  const onDelta = (text: string): void => {
    deltas.push(text);
    openAtDelta.push(provider.counters().open);
    provider.release();
  };
  const { response } = await call({ onDelta });
  expect([response.text, deltas[0], openAtDelta[0]]).toEqual(["hello world", "hello", 1]);
});

describe("[B008] wire calls of one call, counted at the provider", () => {
  it.each<readonly [string, FakeReply, number, string]>([
    ["429", status(429), 4, "model_rate_limited"],
    ["429 with a wait in seconds", status(429, { "retry-after": "1" }), 4, "model_rate_limited"],
    ["429 with a wait in ms", status(429, { "retry-after-ms": "5" }), 4, "model_rate_limited"],
    ["429 with a wait of an hour", status(429, { "retry-after": "3600" }), 1, "model_rate_limited"],
    ["500", status(500), 4, "model_server_error"],
    [
      "500 that forbids a retry",
      status(500, { "x-should-retry": "false" }),
      1,
      "model_server_error",
    ],
    ["529", status(529), 4, "model_overloaded"],
    ["408", status(408), 4, "model_server_error"],
    ["409", status(409), 4, "model_server_error"],
    ["400", status(400), 1, "model_bad_request"],
    ["401", status(401), 1, "model_auth"],
    ["402", status(402), 1, "model_billing"],
    ["403", status(403), 1, "model_auth"],
    ["418", status(418), 2, "model_failed"],
    [
      "a reset before the headers",
      { type: "cut", how: "reset", at: "headers" },
      4,
      "model_network",
    ],
    ["a close before the text", { type: "cut", how: "close", at: "body" }, 4, "model_network"],
    ["a clean end before the text", { type: "cut", how: "end", at: "body" }, 2, "model_malformed"],
    [
      "a reset after text",
      { type: "cut", how: "reset", at: "body", afterCharacters: 5 },
      1,
      "model_network",
    ],
    ["a malformed chunk", { type: "malformed_chunk" }, 2, "model_malformed"],
    [
      "a malformed chunk after text",
      { type: "malformed_chunk", afterCharacters: 5 },
      1,
      "model_malformed",
    ],
    [
      "[B017] an error in a 200",
      { type: "error_in_200", error: { code: 502, message: "x" } },
      4,
      "model_server_error",
    ],
    [
      "[B031] a bad request in a 200",
      { type: "error_in_200", error: { type: "invalid_request_error", message: "x" } },
      1,
      "model_bad_request",
    ],
    [
      "[B017] a login page",
      { type: "raw", contentType: "text/html", body: "<html>" },
      1,
      "model_misconfigured",
    ],
    [
      "[B017] null",
      { type: "raw", contentType: "application/json", body: "null" },
      2,
      "model_malformed",
    ],
    [
      "[B193] a redirect",
      status(307, { location: "https://elsewhere.example/" }),
      1,
      "model_misconfigured",
    ],
    [
      "an unknown finish reason",
      { type: "answer", finishReason: "model_paused" },
      1,
      "model_malformed",
    ],
    ["[B017] an empty answer", { type: "answer", text: "" }, 2, "model_malformed"],
  ])("%s", async (_name, reply, wireCalls, code) => {
    const { provider, call, asks, ends } = await start(() => reply);
    await expect(call()).rejects.toMatchObject({ code });
    expect(provider.counters().requests).toBe(wireCalls);
    expect([asks.length, ends.length]).toEqual([wireCalls, wireCalls]);
    expect(wireCalls).toBeLessThanOrEqual(wireCallBound(1));
    await until(() => provider.counters().open === 0);
  });

  it("stay within the stated product over a chain", async () => {
    const { provider, call } = await start(() => status(500), ["a", "b", "c"]);
    await expect(call()).rejects.toMatchObject({ code: "model_server_error" });
    expect(provider.counters().requests).toBe(wireCallBound(3));
    expect(provider.counters().byModel).toMatchObject({
      a: { requests: 4 },
      b: { requests: 4 },
      c: { requests: 4 },
    });
  });
});

it("[L12] [B056] the third 529 in a row goes to the next model, and the result says so", async () => {
  const { provider, call } = await start(
    { models: { a: [529, 529, 529].map((code) => status(code)) } },
    ["a", "b"],
  );
  expect((await call()).degraded).toEqual(["model:fake/b instead of fake/a"]);
  expect(provider.counters().byModel).toMatchObject({ a: { requests: 3 }, b: { requests: 1 } });
});

it("[G8] an aborted call closes its request, is charged at least its input, and nothing is sent after it", async () => {
  const { provider, call, abort, ends } = await start([
    { type: "hang", at: "body", afterCharacters: 5 },
  ]);
  const reason = bridleError("cancelled");
  const onDelta = (): void => abort(reason);
  await expect(call({ onDelta })).rejects.toBe(reason);
  await until(() => provider.counters().open === 0);
  const { requests, promptTokens, completionTokens, abandoned } = provider.counters();
  expect([requests, abandoned]).toEqual([1, 1]);
  expect(ends).toMatchObject([{ outcome: "neutral", class: "aborted" }]);
  expect(ends[0]?.actual.tokens).toBeGreaterThanOrEqual(promptTokens + completionTokens);
});

it("[WD-9] a flood of pings ends as silence does, and the connection is closed", async () => {
  const { provider, call, clock, events } = await start([{ type: "ping_flood", everyMs: 1 }]);
  const pending = call();
  pending.catch(() => undefined);
  const pings = () => events.filter(({ type }) => type === "activity").length;
  await until(() => pings() > 20);
  clock.advance(119_000);
  expect(provider.counters().open).toBe(1);
  clock.advance(1000);
  // One retry after silence, and the script answers it.
  expect((await pending).response.text).toContain("Hello there");
  await until(() => provider.counters().open === 0);
  expect(provider.counters()).toMatchObject({ requests: 2, abandoned: 1 });
});

it("[BU-13] the provider gets the output limit that was reserved; one that ignores it is charged in full", async () => {
  const text = "x".repeat(2000);
  const { provider, call, asks, ends } = await start([
    { type: "answer", text },
    { type: "answer", text, ignoreMaxTokens: true },
  ]);
  const honest = await call();
  expect(honest.response.finishReason).toBe("length");
  const reserved = asks[0]?.estimate.tokens ?? 0;
  expect(ends[0]?.actual.tokens).toBeLessThanOrEqual(reserved);
  await call();
  expect(ends[1]?.actual.tokens).toBeGreaterThan(reserved);
  const { promptTokens, completionTokens } = provider.counters();
  expect((ends[0]?.actual.tokens ?? 0) + (ends[1]?.actual.tokens ?? 0)).toBe(
    promptTokens + completionTokens,
  );
});

it("[B199] a key that the provider echoes does not reach whoever sees the error", async () => {
  const { call } = await start(() => ({ type: "status", status: 401, echoCredential: true }));
  const error = await call().catch((thrown: unknown) => thrown);
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("canary-key-0815");
});
