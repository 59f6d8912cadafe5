import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeReply, FakeScript } from "@bridle/fake-agents/fake-llm";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import { WireError } from "@bridle/ports";
import type { WireFailure, WirePart, WireRequest } from "@bridle/ports";
import { createFetch } from "@bridle/transport";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});

const key = "canary-key/with+odd=characters";

async function start(script: FakeScript, apiKey: () => string | Promise<string> = () => key) {
  const provider = await startFakeProvider({ script });
  const fetch = createFetch();
  endings.push(
    () => provider.close(),
    () => fetch.close(),
  );
  const target = createOpenAiCompatibleTarget({
    provider: "fake",
    model: "m",
    baseUrl: provider.url,
    apiKey,
    fetch,
  });
  return { provider, target };
}

type Started = Awaited<ReturnType<typeof start>>;

function request(more: Partial<WireRequest> = {}): WireRequest {
  return {
    messages: [{ role: "user", content: "Hello there" }],
    maxOutputTokens: 100,
    signal: new AbortController().signal,
    ...more,
  };
}

/** The parts without signs of activity, and the failure if there was one. */
async function collect({ target }: Started, more?: Partial<WireRequest>) {
  const parts: WirePart[] = [];
  let activity = 0;
  let failure: WireFailure | undefined;
  let error: unknown;
  try {
    for await (const part of target.stream(request(more))) {
      if (part.type === "activity") activity += 1;
      else parts.push(part);
    }
  } catch (thrown) {
    error = thrown;
    failure = thrown instanceof WireError ? thrown.failure : undefined;
  }
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { parts, text, activity, failure, error, last: parts.at(-1) };
}

async function failureOf(reply: FakeReply): Promise<WireFailure | undefined> {
  return (await collect(await start([reply]))).failure;
}

describe("an answer", () => {
  it("[X1] comes as text, usage and one finish, from one request with the model's key", async () => {
    const started = await start([{ type: "answer", text: "four tokens here" }]);
    const { text, parts, last } = await collect(started, { temperature: 0, traceparent: "00-a" });
    expect(text).toBe("four tokens here");
    expect(parts).toContainEqual({
      type: "usage",
      usage: { inputTokens: 3, outputTokens: 4 },
    });
    expect(last).toEqual({ type: "finish", reason: "stop", raw: "stop" });
    expect(started.provider.requests()).toMatchObject([
      {
        model: "m",
        maxTokens: 100,
        stream: true,
        headers: { authorization: `Bearer ${key}`, traceparent: "00-a" },
      },
    ]);
  });

  it("really streams: the first text is here while the provider still holds the answer open", async () => {
    const started = await start([{ type: "hang", at: "body", afterCharacters: 5, text: "hello!" }]);
    let text = "";
    const openAtFirstText: number[] = [];
    for await (const part of started.target.stream(request())) {
      if (part.type !== "text") continue;
      text += part.text;
      if (text !== "hello") continue;
      openAtFirstText.push(started.provider.counters().open);
      started.provider.release();
    }
    expect([text, openAtFirstText]).toEqual(["hello!", [1]]);
  });

  it("[B022] ends at [DONE] although the connection is held open, and closes it", async () => {
    const started = await start([{ type: "answer", text: "done", holdOpen: true }]);
    expect((await collect(started)).last).toMatchObject({ type: "finish", reason: "stop" });
    await until(() => started.provider.counters().open === 0);
  });

  it("[B026] is complete once its finish was seen, although the connection breaks right after it", async () => {
    for (const how of ["end", "close", "reset"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, each with its own server
      const started = await start([
        { type: "cut", how, at: "body", afterFinish: true, tail: 'data: {"type":"m' },
      ]);
      // oxlint-disable-next-line no-await-in-loop -- as above
      const { last, parts, failure } = await collect(started);
      expect([how, failure, last]).toEqual([
        how,
        undefined,
        { type: "finish", reason: "stop", raw: "stop" },
      ]);
      expect(parts.filter(({ type }) => type === "usage")).toHaveLength(1);
    }
  });

  it("[L15] maps finish reasons it knows under other names and owns up to those it does not", async () => {
    const finishes = ["end_turn", "max_tokens", "content_filter", "model_paused"];
    const started = await start(
      finishes.map((finishReason) => ({ type: "answer", text: "a", finishReason })),
    );
    const seen: unknown[] = [];
    for (const raw of finishes) {
      // oxlint-disable-next-line no-await-in-loop -- the script is a list
      const { last } = await collect(started);
      seen.push(last?.type === "finish" && last.raw === raw && last.reason);
    }
    expect(seen).toEqual(["stop", "length", "content_filter", "other"]);
  });

  it("[B127] without usage says nothing about usage: missing is not zero", async () => {
    const { parts } = await collect(await start([{ type: "answer", usage: "missing" }]));
    expect(parts.filter(({ type }) => type === "usage")).toEqual([]);
  });

  it("[BU-16] keeps cached input inside input and leaves out what was not reported", async () => {
    const usage = { prompt_tokens: 900, prompt_tokens_details: { cached_tokens: 800 } };
    const { parts } = await collect(await start([{ type: "answer", usage }]));
    expect(parts).toContainEqual({
      type: "usage",
      usage: { inputTokens: 900, cachedInputTokens: 800 },
    });
  });

  it("[BU-16] names each count that is none, and keeps the others", async () => {
    const usage = { prompt_tokens: -1, completion_tokens: 7 };
    const { parts } = await collect(await start([{ type: "answer", usage }]));
    expect(parts).toContainEqual({
      type: "usage",
      usage: { outputTokens: 7 },
      unsound: [{ field: "prompt_tokens", value: "-1" }],
    });
  });

  it("[B125] takes cumulative usage as the newest count and lets empty reports change nothing", async () => {
    const chunks = [
      { usage: { prompt_tokens: 27, completion_tokens: 1 } },
      { usage: { completion_tokens: 12 } },
      { usage: { prompt_tokens: 27, completion_tokens: 47 } },
      { usage: {} },
      { usage: { prompt_tokens: 0 } },
      { usage: null },
    ].map((chunk) => `data: ${JSON.stringify({ choices: [], ...chunk })}\n\n`);
    const finish = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n';
    const body = `${chunks.join("")}${finish}data: [DONE]\n\n`;
    const { parts } = await collect(
      await start([{ type: "raw", contentType: "text/event-stream", body }]),
    );
    expect(parts.findLast(({ type }) => type === "usage")).toEqual({
      type: "usage",
      usage: { inputTokens: 27, outputTokens: 47 },
    });
  });

  it.each([
    ["\n", "LF"],
    ["\r\n", "CRLF"],
    ["\r", "CR"],
  ])("[B034] [B035] is the same with other line ends, BOM and comments (%j)", async (end) => {
    const lines = [
      "\uFEFFdata:" + JSON.stringify({ choices: [{ delta: { content: "one " } }] }),
      "",
      ": comment",
      "id: 7",
      'data: {"choices":[{"delta":',
      'data: {"content":"two"},"finish_reason":"stop"}]}',
      "",
      "data: [DONE]",
      "",
      "",
    ];
    const { text, last, failure } = await collect(
      await start([{ type: "raw", contentType: "text/event-stream", body: lines.join(end) }]),
    );
    expect([failure, text, last?.type]).toEqual([undefined, "one two", "finish"]);
  });
});

describe("signs of life", () => {
  it("[L16] pings are seen as activity, never as output", async () => {
    const { provider, target } = await start([{ type: "ping_flood", everyMs: 1 }]);
    const controller = new AbortController();
    const parts: string[] = [];
    const reading = (async () => {
      for await (const part of target.stream(request({ signal: controller.signal }))) {
        parts.push(part.type);
        if (parts.length === 5) controller.abort();
      }
    })();
    await expect(reading).rejects.toBeInstanceOf(WireError);
    expect(new Set(parts)).toEqual(new Set(["activity"]));
    await until(() => provider.counters().open === 0);
  });
});

describe("every way out closes the request upstream", () => {
  it("an abort before the headers", async () => {
    const started = await start([{ type: "hang", at: "headers" }]);
    const controller = new AbortController();
    const call = collect(started, { signal: controller.signal });
    await until(() => started.provider.counters().open === 1);
    controller.abort();
    expect((await call).error).toBeInstanceOf(WireError);
    await until(() => started.provider.counters().open === 0);
  });

  it("a consumer that leaves in the middle", async () => {
    const { provider, target } = await start([{ type: "hang", at: "body", afterCharacters: 5 }]);
    for await (const part of target.stream(request())) if (part.type === "text") break;
    await until(() => provider.counters().open === 0);
    expect(provider.counters().abandoned).toBe(1);
  });

  it("a failure in the middle of a stream that would have gone on", async () => {
    const started = await start([{ type: "malformed_chunk", afterCharacters: 5 }]);
    expect((await collect(started)).failure).toMatchObject({ malformed: true });
    await until(() => started.provider.counters().open === 0);
  });
});

describe("failures are one WireError with the facts", () => {
  it("a status with its headers and the provider's own code", async () => {
    expect(
      await failureOf({
        type: "status",
        status: 429,
        headers: { "retry-after-ms": "250", "set-cookie": "s=1", "x-should-retry": "true" },
        body: { error: { message: "Slow down", type: "tokens", code: "Rate_Limit_Exceeded" } },
      }),
    ).toEqual({
      status: 429,
      headers: { "retry-after-ms": "250", "x-should-retry": "true" },
      providerCode: "rate_limit_exceeded",
      message: "Slow down",
      stage: "before_output",
    });
  });

  it("a status with a page or with nothing", async () => {
    const page = await failureOf({ type: "status", status: 502, body: "<html>Bad</html>" });
    expect(page).toMatchObject({ status: 502, message: "The provider answered 502." });
    const empty = await failureOf({ type: "status", status: 500, body: "" });
    expect(empty).toMatchObject({ status: 500, message: "The provider answered 500." });
  });

  it.each(["close", "reset"] as const)(
    "a connection that is %sd before the headers",
    async (how) => {
      const failure = await failureOf({ type: "cut", how, at: "headers" });
      expect(failure).toMatchObject({ stage: "before_output" });
      expect(failure?.networkCode).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
      expect(failure?.status).toBeUndefined();
    },
  );

  it.each(["close", "reset"] as const)("a connection that is %sd after text", async (how) => {
    const failure = await failureOf({ type: "cut", how, at: "body", afterCharacters: 5 });
    expect(failure).toMatchObject({ stage: "after_output" });
    expect(failure?.networkCode).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
    expect(failure?.status).toBeUndefined();
  });

  it("a port where nobody listens", async () => {
    const { provider, target } = await start([]);
    await provider.close();
    const failing = (async () => {
      for await (const part of target.stream(request())) expect(part).toBeUndefined();
    })();
    await expect(failing).rejects.toMatchObject({ failure: { networkCode: "ECONNREFUSED" } });
  });

  it("[B025] a clean end without a finish reason, before and after text", async () => {
    const before = await failureOf({ type: "cut", how: "end", at: "body" });
    expect(before).toMatchObject({ malformed: true, stage: "before_output" });
    const after = await failureOf({ type: "cut", how: "end", at: "body", afterCharacters: 5 });
    expect(after).toMatchObject({ malformed: true, stage: "after_output" });
  });

  it("[B025] an end marker without a finish reason", async () => {
    const failure = await failureOf({ type: "answer", text: "half", finishReason: "none" });
    expect(failure).toMatchObject({ malformed: true, stage: "after_output" });
  });

  it("one malformed chunk, although a normal end follows", async () => {
    expect(await failureOf({ type: "malformed_chunk" })).toMatchObject({
      malformed: true,
      stage: "before_output",
    });
  });

  it("[B017] an error object inside a 200, with the status it names", async () => {
    const error = { code: 502, message: "upstream" };
    expect(await failureOf({ type: "error_in_200", error })).toEqual({
      status: 502,
      message: "upstream",
      stage: "before_output",
    });
    const json = { type: "raw", contentType: "application/json" } as const;
    expect(await failureOf({ ...json, body: JSON.stringify({ error }) })).toEqual({
      status: 502,
      message: "upstream",
      stage: "before_output",
    });
  });

  it("an error object inside a 200 after text", async () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    expect(await failureOf({ type: "error_in_200", error, afterCharacters: 4 })).toEqual({
      providerCode: "overloaded_error",
      message: "Overloaded",
      stage: "after_output",
    });
  });

  it("[B031] an error object that is not even followed by a blank line", async () => {
    const body = 'data: {"error":{"type":"invalid_request_error","message":"bad tool"}}';
    expect(await failureOf({ type: "raw", contentType: "text/event-stream", body })).toMatchObject({
      providerCode: "invalid_request_error",
      message: "bad tool",
    });
  });

  it.each(["null", '{"choices":[]}', '{"ok":true}'])(
    "[B017] the JSON body %s where a stream was asked for",
    async (body) => {
      const failure = await failureOf({ type: "raw", contentType: "application/json", body });
      expect(failure).toMatchObject({ malformed: true, stage: "before_output" });
    },
  );

  it.each(["", "data: null\n\n", 'data: {"choices":[]}\n\n'])(
    "[B017] a stream that holds %j",
    async (body) => {
      const failure = await failureOf({ type: "raw", contentType: "text/event-stream", body });
      expect(failure).toMatchObject({ malformed: true, stage: "before_output" });
    },
  );

  it("[B017] a login page with 200", async () => {
    const failure = await failureOf({ type: "raw", contentType: "text/html", body: "<html>" });
    expect(failure).toMatchObject({ networkCode: "unexpected_content_type" });
    expect(failure?.message).toContain("text/html");
  });

  it("[B193] a redirect", async () => {
    const headers = { location: "https://elsewhere.example/x" };
    const failure = await failureOf({ type: "status", status: 307, headers, body: "" });
    expect(failure).toMatchObject({ networkCode: "redirect_refused" });
  });

  it("[B037] two JSON objects glued together", async () => {
    const body = 'data: {"choices":[]}{"choices":[]}\n\n';
    const failure = await failureOf({ type: "raw", contentType: "text/event-stream", body });
    expect(failure).toMatchObject({ malformed: true });
  });
});

describe("credentials", () => {
  it("an empty key, or none to be had, sends nothing", async () => {
    for (const apiKey of [() => "", () => Promise.reject(new Error(`vault: ${key}`))]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const started = await start([], apiKey);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { failure, error } = await collect(started);
      expect(failure).toMatchObject({ providerCode: "no_credential", stage: "before_output" });
      expect(everythingIn(error)).not.toContain(key);
      expect(started.provider.counters().requests).toBe(0);
    }
  });

  const base64 = Buffer.from(key).toString("base64");
  it.each([
    ["in the message", { body: { error: { message: `Bad key ${key}.` } } }],
    ["URL-encoded", { body: { error: { message: `?key=${encodeURIComponent(key)}` } } }],
    ["in base64", { body: { error: { message: `x-api-key ${base64}` } } }],
    ["for Basic", { body: { error: { message: Buffer.from(`${key}:`).toString("base64") } } }],
    ["as the error code", { body: { error: { message: "no", code: key } } }],
    ["in a plain body", { body: `denied: ${key}` }],
    ["in a header", { headers: { "x-request-id": key, "x-echo": key } }],
    ["by the gateway", { echoCredential: true }],
  ] as const)("[B199] a 401 that echoes the key %s does not pass it on", async (_where, more) => {
    const started = await start([{ type: "status", status: 401, ...more }]);
    const { error, failure } = await collect(started);
    expect(failure?.status).toBe(401);
    const everything = everythingIn(error);
    for (const form of [key, encodeURIComponent(key), base64, base64.slice(0, -4)])
      expect(everything).not.toContain(form);
  });

  it("[B199] control: the key was on the wire, and the prompt is not in the error either", async () => {
    const started = await start([{ type: "status", status: 400 }]);
    const { error } = await collect(started);
    expect(started.provider.requests()[0]?.headers["authorization"]).toContain(key);
    expect(everythingIn(error)).not.toContain("Hello there");
  });
});

/** Everything that can be reached from an error: own fields, stack and the causes. */
function everythingIn(error: unknown): string {
  let text = "";
  for (let link = error; link instanceof Error; link = link.cause)
    text += `${link.stack}${link.message}${JSON.stringify(link, Object.getOwnPropertyNames(link))}${JSON.stringify(link instanceof WireError && link.failure)}`;
  return text;
}
