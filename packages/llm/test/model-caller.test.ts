import { getEventListeners } from "node:events";

import { estimateMessages, estimateTokens } from "@bridle/budget";
import { bridleError } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { wireCallBound } from "../src/index.ts";
import { callBench, fail, hello, stop, text, usage } from "./call-bench.ts";
import type { Step } from "./call-bench.ts";

const overloaded = [fail({ status: 529 })];
/** What the bench's prompt is taken for. */
const inputTokens = estimateMessages([{ role: "user", content: "x".repeat(32) }]).tokens;
const tokensOf = (value: string): number => estimateTokens(value).tokens;
const cancelled = bridleError("cancelled");

describe("a call that goes well", () => {
  it("[X1] answers with text, tokens and who served it, told of as it streams", async () => {
    const bench = callBench({
      chain: [[[text("hel"), { type: "activity" }, text("lo"), usage(20, 5), stop]]],
    });
    const { result } = await bench.settle();
    expect(result).toEqual({
      response: {
        text: "hello",
        finishReason: "stop",
        servedBy: "fake/m0",
        inputTokens: 20,
        outputTokens: 5,
      },
      spent: { tokens: 25, nanoUsd: 350, calls: 1 },
      degraded: [],
    });
    expect(bench.deltas).toEqual(["hel", "lo"]);
    expect(bench.events.map(({ type }) => type)).toEqual([
      "sending",
      "progress",
      "activity",
      "progress",
      "activity",
      "activity",
      "attempt",
    ]);
  });

  it("[BU-7] reserves input and most output, and asks for no more output than that", async () => {
    const bench = callBench({ request: { maxOutputTokens: 40, system: "be kind" } });
    await bench.settle();
    const input = estimateMessages([
      { role: "system", content: "be kind" },
      { role: "user", content: "x".repeat(32) },
    ]).tokens;
    expect(bench.asks).toEqual([
      {
        target: "fake/m0",
        promptTokens: input,
        reserve: expect.any(Function) as unknown,
        estimate: { tokens: input + 40, nanoUsd: input * 10 + 40 * 30, calls: 1 },
      },
    ]);
    expect(bench.targets[0]?.requests[0]).toMatchObject({
      maxOutputTokens: 40,
      messages: [
        { role: "system", content: "be kind" },
        { role: "user", content: "x".repeat(32) },
      ],
    });
  });

  it("[BU-7] never asks for more output than the model's limit", async () => {
    const bench = callBench({ request: { maxOutputTokens: 1000 } });
    await bench.settle();
    expect(bench.targets[0]?.requests[0]?.maxOutputTokens).toBe(100);
  });

  it("takes an answer that reached its output limit as an answer that says so", async () => {
    const bench = callBench({
      chain: [[[text("cut"), usage(20, 5), { type: "finish", reason: "length", raw: "length" }]]],
    });
    expect((await bench.settle()).result?.response.finishReason).toBe("length");
  });

  it("leaves no timer and no listener behind", async () => {
    const bench = callBench();
    await bench.call();
    expect(bench.clock.pendingTimers).toBe(0);
    expect(getEventListeners(bench.signal, "abort")).toEqual([]);
  });

  it("sends system, messages and prompt in that order", async () => {
    const messages = [{ role: "user", content: "a" } as const];
    const bench = callBench({ request: { system: "s", messages, prompt: "p" } });
    await bench.call();
    expect(bench.targets[0]?.requests[0]?.messages.map(({ content }) => content)).toEqual([
      "s",
      "a",
      "p",
    ]);
  });
});

describe("what is never sent", () => {
  it("a model nobody configured", async () => {
    const bench = callBench({ request: { model: "other" } });
    expect((await bench.settle()).error).toMatchObject({ code: "model_unknown" });
    expect(bench.asks).toEqual([]);
  });

  it("[BU-2] a model without a price", async () => {
    const bench = callBench({ unpriced: [0] });
    expect((await bench.settle()).error).toMatchObject({ code: "price_unknown" });
    expect(bench.asks).toEqual([]);
  });

  it("[BU-2] a next target without a price, though the one after it may be asked", async () => {
    const bench = callBench({
      chain: [[[fail({ status: 401 })]], [hello], [hello]],
      unpriced: [1],
    });
    expect((await bench.settle()).result?.response.servedBy).toBe("fake/m2");
    expect(bench.wireCalls()).toEqual([1, 0, 1]);
  });

  it("a call whose deadline has passed, not by a millisecond", async () => {
    const late = callBench({ call: { deadlineMs: 0 } });
    expect((await late.settle()).error).toMatchObject({ code: "deadline_passed" });
    expect([late.asks, late.wireCalls()]).toEqual([[], [0]]);
    const inTime = callBench({ call: { deadlineMs: 1 } });
    expect((await inTime.settle()).result).toBeDefined();
  });

  it("a call whose deadline passed while its permit was being got, and the permit goes back for nothing", async () => {
    const bench = callBench({ call: { deadlineMs: 500 }, onAdmit: () => bench.clock.advance(500) });
    expect((await bench.settle()).error).toMatchObject({ code: "deadline_passed" });
    expect(bench.wireCalls()).toEqual([0]);
    expect(bench.ends).toMatchObject([
      { outcome: "neutral", actual: { tokens: 0, nanoUsd: 0, calls: 0 } },
    ]);
  });

  it("[B032] a call that was aborted before it began", async () => {
    const bench = callBench();
    bench.abort(cancelled);
    expect((await bench.settle()).error).toBe(cancelled);
    expect(bench.wireCalls()).toEqual([0]);
  });

  it("a call that the admission refuses, and the refusal comes through unchanged", async () => {
    const refusal = bridleError("budget_refused");
    const bench = callBench({ refusals: { 0: refusal }, chain: [[hello], [hello]] });
    expect((await bench.settle()).error).toBe(refusal);
    expect([bench.wireCalls(), bench.ends]).toEqual([[0, 0], []]);
  });
});

describe("retries", () => {
  it("[L11] come after 1, 2 and 4 seconds with jitter added, told of before each wait", async () => {
    const bench = callBench({ chain: [[[fail({ status: 500 })]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({ code: "model_server_error", retryable: true });
    const delays = bench.decisions().map((event) => event.delayMs);
    expect(delays.map((ms, index) => ms >= 1000 * 2 ** index && ms < 1250 * 2 ** index)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(bench.decisions().map(({ action }) => action)).toEqual([
      "retry",
      "retry",
      "retry",
      "surface",
    ]);
  });

  it("each take their own permit and settle it on their own", async () => {
    const bench = callBench({ chain: [[overloaded, overloaded, hello]] });
    const { result } = await bench.settle();
    expect(bench.asks).toHaveLength(3);
    expect(bench.ends.map(({ outcome }) => outcome)).toEqual(["failure", "failure", "success"]);
    // BR-10: only an answer may close a half-open breaker.
    expect(bench.ends.map((end) => end.completedProgress)).toEqual([false, false, true]);
    expect(result?.spent).toEqual({
      tokens: 2 * inputTokens + 25,
      nanoUsd: 2 * inputTokens * 10 + 350,
      calls: 3,
    });
    expect(result?.degraded).toEqual([]);
  });

  it("hold no permit while they wait", async () => {
    const bench = callBench({ chain: [[overloaded, hello]] });
    const pending = bench.call();
    await bench.clock.advanceAsync(500);
    expect([bench.wireCalls(), bench.openPermits()]).toEqual([[1], 0]);
    await bench.clock.advanceAsync(2000);
    await pending;
    expect(bench.wireCalls()).toEqual([2]);
  });

  it("[B004] wait at least as long as the server asks, by date too", async () => {
    const date = new Date(1_700_000_000_000 + 30_000).toUTCString();
    const bench = callBench({
      chain: [[[fail({ status: 429, headers: { "retry-after": date } })], hello]],
    });
    const pending = bench.call();
    await bench.clock.advanceAsync(29_999);
    expect(bench.wireCalls()).toEqual([1]);
    await bench.clock.advanceAsync(10_000);
    expect((await pending).response.text).toBe("hello");
  });

  it("[B007] do not come at all when the server asks for more than a minute", async () => {
    const headers = { "retry-after": "2200000" };
    const bench = callBench({ chain: [[[fail({ status: 429, headers })]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({
      code: "model_rate_limited",
      details: { retryAfterMs: 2_200_000_000 },
    });
    expect(bench.wireCalls()).toEqual([1]);
    expect(bench.ends).toMatchObject([{ retryAfterMs: 2_200_000_000 }]);
  });

  it("[B109] end at once when the call is aborted in the wait: one wire call, no timer, the reason kept", async () => {
    const bench = callBench({
      chain: [[[fail({ status: 429, headers: { "retry-after-ms": "3000" } })], hello]],
    });
    const pending = bench.call();
    pending.catch(() => undefined);
    await bench.clock.advanceAsync(100);
    bench.abort(cancelled);
    await expect(pending).rejects.toBe(cancelled);
    expect([bench.wireCalls(), bench.clock.pendingTimers]).toEqual([[1], 0]);
  });

  it("[B002] are not waited for when the deadline would pass first", async () => {
    const bench = callBench({ chain: [[overloaded]], call: { deadlineMs: 900 } });
    expect((await bench.settle(0)).error).toMatchObject({ code: "model_overloaded" });
    expect(bench.wireCalls()).toEqual([1]);
  });

  it.each([
    [401, "model_auth"],
    [402, "model_billing"],
    [403, "model_auth"],
    [400, "model_bad_request"],
  ])("do not follow a %i", async (status, code) => {
    const bench = callBench({ chain: [[[fail({ status })]]] });
    expect((await bench.settle()).error).toMatchObject({ code, retryable: false });
    expect(bench.wireCalls()).toEqual([1]);
  });
});

describe("after the first output", () => {
  it("[L18] a break surfaces with what had come, and nothing is sent again", async () => {
    const cut = [text("I will now run"), fail({ networkCode: "ECONNRESET" })];
    const bench = callBench({ chain: [[cut, hello], [hello]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({
      code: "model_network",
      details: { partialText: "I will now run" },
    });
    expect(bench.wireCalls()).toEqual([1, 0]);
  });

  it("[B029] a break after reasoning alone is a failed attempt like any other", async () => {
    const cut: Step[] = [{ type: "reasoning", text: "hm" }, fail({ networkCode: "ECONNRESET" })];
    const bench = callBench({ chain: [[cut, hello]] });
    expect((await bench.settle()).result?.response.text).toBe("hello");
  });

  it("[B025] a clean end without a finish is no answer", async () => {
    const bench = callBench({ chain: [[[text("half")]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({ code: "model_malformed", details: { partialText: "half" } });
    expect(bench.ends).toMatchObject([{ outcome: "failure", class: "malformed" }]);
  });

  it("[L15] an end for an unknown reason is no answer", async () => {
    const paused: Step = { type: "finish", reason: "other", raw: "model_paused" };
    const bench = callBench({ chain: [[[text("half"), paused]]] });
    const { error } = await bench.settle();
    expect(error?.message).toContain("model_paused");
  });

  it("[B053] a filter's end is a refusal that no other model is asked to undo", async () => {
    const filtered: Step = { type: "finish", reason: "content_filter", raw: "content_filter" };
    const bench = callBench({ chain: [[[filtered]], [hello]] });
    expect((await bench.settle()).error).toMatchObject({ code: "model_refused" });
    expect(bench.wireCalls()).toEqual([1, 0]);
    expect(bench.ends).toMatchObject([{ outcome: "neutral", class: "refusal" }]);
  });
});

describe("answers that are none", () => {
  it("[B017] an empty one is asked for once more", async () => {
    const bench = callBench({ chain: [[[usage(20, 1), stop]]] });
    expect((await bench.settle()).error).toMatchObject({ code: "model_malformed" });
    expect(bench.wireCalls()).toEqual([2]);
  });

  it("a target that throws something of its own is our fault, and its words go nowhere", async () => {
    const bench = callBench({ chain: [[[{ type: "throw", error: new TypeError("sk-secret") }]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({ code: "model_failed" });
    expect(JSON.stringify([error?.message, error?.details])).not.toContain("sk-secret");
    expect(bench.ends[0]).toMatchObject({ outcome: "neutral", class: "unknown" });
  });
});

describe("the chain", () => {
  it("[B053] goes on to the next target after a refused key, and says so", async () => {
    const bench = callBench({ chain: [[[fail({ status: 401 })]], [hello]] });
    const { result } = await bench.settle();
    expect(result?.response.servedBy).toBe("fake/m1");
    expect(result?.degraded).toEqual(["model:fake/m1 instead of fake/m0"]);
    expect(bench.wireCalls()).toEqual([1, 1]);
  });

  it("[B056] stays with its model after one overload", async () => {
    const bench = callBench({ chain: [[overloaded, hello], [hello]] });
    expect((await bench.settle()).result).toMatchObject({
      response: { servedBy: "fake/m0" },
      degraded: [],
    });
  });

  it("[L12] leaves its model after the third overload in a row", async () => {
    const bench = callBench({ chain: [[overloaded], [hello]] });
    expect((await bench.settle()).result?.response.servedBy).toBe("fake/m1");
    expect(bench.wireCalls()).toEqual([3, 1]);
  });

  it("[B008] gives each target its own retries", async () => {
    const broken = [[fail({ status: 500 })]];
    const bench = callBench({ chain: [broken, broken, broken] });
    expect((await bench.settle()).error).toMatchObject({ code: "model_server_error" });
    expect(bench.wireCalls()).toEqual([4, 4, 4]);
  });

  it("[B056] may be forbidden, and then the model that was asked for is the only one", async () => {
    const bench = callBench({
      chain: [[overloaded], [hello]],
      call: { allowModelFallback: false },
    });
    expect((await bench.settle()).error).toMatchObject({ code: "model_overloaded" });
    expect(bench.wireCalls()).toEqual([4, 0]);
  });

  it("[L12] is not entered for an overloaded background call", async () => {
    const bench = callBench({ chain: [[overloaded], [hello]], call: { priority: "background" } });
    expect((await bench.settle()).error).toMatchObject({ code: "model_overloaded" });
    expect(bench.wireCalls()).toEqual([1, 0]);
  });

  it("does not help a request that is itself at fault", async () => {
    const bench = callBench({ chain: [[[fail({ status: 400 })]], [hello]] });
    expect((await bench.settle()).error).toMatchObject({ code: "model_bad_request" });
    expect(bench.wireCalls()).toEqual([1, 0]);
  });

  it("[BR-17] leaves out what failed the step before, and says that another one answered; the last one it never leaves out", async () => {
    const chain = [[hello], [hello]];
    const one = callBench({ chain, call: { without: new Set(["fake/m0"]) } });
    const { result } = await one.settle();
    expect(result?.degraded).toEqual(["model:fake/m1 instead of fake/m0"]);
    expect(one.wireCalls()).toEqual([0, 1]);
    const none = callBench({ chain, call: { without: new Set(["fake/m0", "fake/m1"]) } });
    expect((await none.settle()).result?.response.servedBy).toBe("fake/m0");
  });

  it("[BR-17] goes on to the next target when the breaker of the first is open", async () => {
    const refusal = bridleError("breaker_open", {
      details: { key: "provider:fake/m0" },
    });
    const bench = callBench({ chain: [[hello], [hello]], refusals: { 0: refusal } });
    const { result } = await bench.settle();
    expect(result?.degraded).toEqual(["model:fake/m1 instead of fake/m0"]);
    expect(bench.wireCalls()).toEqual([0, 1]);
  });

  it("[BR-17] stays when the breaker that is open is the agent's", async () => {
    const refusal = bridleError("breaker_open", { details: { key: "agent:w/a" } });
    const bench = callBench({ chain: [[hello], [hello]], refusals: { 0: refusal } });
    expect((await bench.settle()).error).toBe(refusal);
  });

  it("[B053] that fails to its end tells of every wire call, in order, never of success", async () => {
    const bench = callBench({ chain: [[[fail({ status: 503 })]], [[fail({ status: 401 })]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({ code: "model_auth" });
    const attempts = error?.details?.["attempts"];
    expect(attempts).toMatchObject([
      { target: "fake/m0", wireCall: 1, class: "server_error", status: 503 },
      { target: "fake/m0", wireCall: 2 },
      { target: "fake/m0", wireCall: 3 },
      { target: "fake/m0", wireCall: 4 },
      { target: "fake/m1", wireCall: 5, class: "auth", status: 401 },
    ]);
    expect(error?.message).toContain("5 calls were made; the last, to fake/m1, answered 401");
  });
});

describe("silence", () => {
  it("[WD-9] ends a call that hangs, once by itself and once more, each counted against the provider", async () => {
    const bench = callBench({ chain: [[[{ type: "hang" }]]] });
    const { error } = await bench.settle();
    expect(error).toMatchObject({ code: "model_timeout" });
    expect(bench.ends).toMatchObject([
      { outcome: "failure", class: "timeout" },
      { outcome: "failure", class: "timeout" },
    ]);
    expect(bench.clock.pendingTimers).toBe(0);
  });

  it("[WD-9] pings are no output: a flood of them ends as silence does", async () => {
    const pings = Array.from({ length: 100 }, (): readonly Step[] => [
      { type: "activity" },
      { type: "text", text: "" },
      { type: "wait", ms: 2000 },
    ]).flat();
    const bench = callBench({ chain: [[[...pings, ...hello]]], target: { noOutputMs: 30_000 } });
    expect((await bench.settle()).error).toMatchObject({ code: "model_timeout" });
  });

  it("[WD-9] control: the same time with a word in between is a slow answer, not silence", async () => {
    const words = Array.from({ length: 100 }, (): readonly Step[] => [
      text("w"),
      { type: "wait", ms: 2000 },
    ]).flat();
    const bench = callBench({ chain: [[[...words, ...hello]]], target: { noOutputMs: 30_000 } });
    expect((await bench.settle()).result?.response.text).toHaveLength(105);
  });

  it("[S13] one word and then silence is silence: each such call counts against the provider, none as progress", async () => {
    const bench = callBench({ chain: [[[text("I"), { type: "hang" }]]] });
    for (let call = 1; call <= 5; call += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const { error } = await bench.settle();
      expect(error).toMatchObject({ code: "model_timeout", details: { partialText: "I" } });
    }
    const silent = { outcome: "failure", class: "timeout", completedProgress: false };
    expect(bench.ends).toMatchObject(Array.from({ length: 5 }, () => silent));
  });

  it("reasoning is output: a model may think aloud as long as it likes", async () => {
    const thoughts = Array.from({ length: 100 }, (): readonly Step[] => [
      { type: "reasoning", text: "hm" },
      { type: "wait", ms: 2000 },
    ]).flat();
    const bench = callBench({ chain: [[[...thoughts, ...hello]]], target: { noOutputMs: 30_000 } });
    expect((await bench.settle()).result?.response.text).toBe("hello");
  });

  it("ends also when the target does not listen to its signal (A3)", async () => {
    const bench = callBench({ chain: [[[{ type: "deaf" }]]] });
    const pending = bench.call();
    pending.catch(() => undefined);
    await bench.clock.advanceAsync(10);
    bench.abort(cancelled);
    await expect(pending).rejects.toBe(cancelled);
    expect(bench.targets[0]?.requests[0]?.signal.aborted).toBe(true);
    expect(bench.ends).toMatchObject([{ outcome: "neutral", class: "aborted" }]);
  });
});

describe("an abort in the middle of an answer", () => {
  it("[BR-14] says nothing about the provider when it is the caller's own", async () => {
    const bench = callBench({ chain: [[[text("hel"), { type: "hang" }]]] });
    const pending = bench.call();
    pending.catch(() => undefined);
    await bench.clock.advanceAsync(10);
    bench.abort(cancelled);
    await expect(pending).rejects.toBe(cancelled);
    expect(bench.ends).toMatchObject([{ outcome: "neutral", class: "aborted" }]);
    expect(bench.decisions()).toEqual([]);
  });

  it("[BR-14] is the provider's silence when it is the step timeout", async () => {
    const bench = callBench({ chain: [[[{ type: "hang" }], hello]] });
    const timeout = bridleError("step_timeout");
    const pending = bench.call();
    pending.catch(() => undefined);
    await bench.clock.advanceAsync(10);
    bench.abort(timeout);
    await expect(pending).rejects.toBe(timeout);
    expect(bench.ends).toMatchObject([{ outcome: "failure", class: "timeout" }]);
    expect(bench.wireCalls()).toEqual([1]);
  });
});

async function settledAt(steps: readonly Step[]) {
  const bench = callBench({ chain: [[steps]] });
  await bench.settle();
  return bench.ends[0];
}

describe("what a wire call is settled at", () => {
  it("[B127] what the provider counted, when its answer is whole", async () => {
    expect(await settledAt(hello)).toMatchObject({
      actual: { tokens: 25, nanoUsd: 350, calls: 1 },
      basis: "usage",
    });
  });

  it("[B127] the input estimate and the output seen, when no usage came: never nothing", async () => {
    expect(await settledAt([text("hello"), stop])).toMatchObject({
      actual: {
        tokens: inputTokens + tokensOf("hello"),
        nanoUsd: inputTokens * 10 + tokensOf("hello") * 30,
        calls: 1,
      },
      basis: "best_knowledge",
    });
  });

  it("[BU-16] what is known without a count that is none, which is told of once", async () => {
    const unsound = [{ field: "prompt_tokens", value: "-3" }];
    const reported: Step = { type: "usage", usage: { outputTokens: 5 }, unsound };
    const bench = callBench({ chain: [[[text("hello"), reported, reported, stop]]] });
    await bench.settle();

    expect(bench.ends[0]).toMatchObject({
      actual: { tokens: inputTokens + 5 },
      basis: "best_knowledge",
    });
    expect(bench.events.filter(({ type }) => type === "unsound_usage")).toEqual([
      { type: "unsound_usage", target: "fake/m0", field: "prompt_tokens", value: "-3" },
    ]);
  });

  it("[B124] the usage that came with a failure", async () => {
    expect(await settledAt([usage(900, 300), fail({ status: 500 })])).toMatchObject({
      actual: { tokens: 1200 },
      basis: "best_knowledge",
    });
  });

  it("[BU-12] the output that came before a break, when it is more than was reported", async () => {
    const cut = [usage(20, 1), text("x".repeat(400)), fail({ networkCode: "ECONNRESET" })];
    expect(await settledAt(cut)).toMatchObject({
      actual: { tokens: 20 + tokensOf("x".repeat(400)) },
    });
  });

  it("[BU-20] the input, when the call was sent and failed", async () => {
    expect(await settledAt([fail({ status: 500 })])).toMatchObject({
      actual: { tokens: inputTokens },
    });
  });

  it.each([
    "ECONNREFUSED",
    "UND_ERR_CONNECT_TIMEOUT",
    "insecure_url",
    "invalid_url",
    "invalid_setting",
    "invalid_request",
    "request_too_large",
    "proxy_failed",
    "closed",
  ])("[BU-12] no tokens, when nothing can have been sent: %s", async (networkCode) => {
    expect(await settledAt([fail({ networkCode })])).toMatchObject({
      actual: { tokens: 0, nanoUsd: 0, calls: 1 },
    });
  });

  it("[BU-12] what was seen, whatever a code says about the connection", async () => {
    const cut = [text("hello"), fail({ networkCode: "ECONNREFUSED" })];
    expect(await settledAt(cut)).toMatchObject({
      actual: { tokens: inputTokens + tokensOf("hello") },
    });
  });

  it("[B127] the estimates, when the provider says it counted nothing", async () => {
    expect(await settledAt([text("hello"), usage(0, 0), stop])).toMatchObject({
      actual: { tokens: inputTokens + tokensOf("hello") },
      basis: "best_knowledge",
    });
  });

  it("more than was reserved, when the provider went beyond it", async () => {
    expect(await settledAt([text("a"), usage(20, 5000), stop])).toMatchObject({
      actual: { tokens: 5020 },
      basis: "usage",
    });
  });
});

describe("laws", () => {
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    fc.constant(text("word ")),
    fc.constant(stop),
    fc.constant(usage(20, 5)),
    fc.constant<Step>({ type: "hang" }),
    fc.constant<Step>({ type: "deaf" }),
    fc.constant<Step>({ type: "activity" }),
    fc.constant<Step>({ type: "throw", error: new Error("x") }),
    fc.integer({ min: 1, max: 200_000 }).map((ms): Step => ({ type: "wait", ms })),
    fc.constantFrom(400, 401, 402, 408, 429, 500, 503, 529).map((status) => fail({ status })),
    fc.constantFrom("ECONNRESET", "ECONNREFUSED").map((networkCode) => fail({ networkCode })),
  );
  const anyScript = fc.array(fc.array(anyStep, { maxLength: 4 }), { minLength: 1, maxLength: 6 });

  it("[B122] whatever happens: each permit ends once, each is paid for, the bound holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyScript, { minLength: 1, maxLength: 3 }),
        fc.option(fc.integer({ min: 0, max: 300_000 }), { nil: undefined }),
        async (chain, abortAtMs) => {
          const bench = callBench({ chain });
          if (abortAtMs !== undefined)
            bench.clock.setTimer(abortAtMs, () => bench.abort(cancelled));
          await bench.settle();
          expect(bench.ends).toHaveLength(bench.asks.length);
          expect(bench.openPermits()).toBe(0);
          expect(bench.asks.length).toBeLessThanOrEqual(wireCallBound(chain.length));
          for (const { actual } of bench.ends) expect(actual.calls).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });
});
