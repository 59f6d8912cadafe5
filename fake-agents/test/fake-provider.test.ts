import { connect } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { startFakeProvider } from "../src/fake-llm/index.ts";
import type { FakeProvider, FakeReply, FakeScript } from "../src/fake-llm/index.ts";
import { until } from "./until.ts";

const started: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((provider) => provider.close()));
});

async function start(script?: FakeScript): Promise<FakeProvider> {
  const provider = await startFakeProvider({ script });
  started.push(provider);
  return provider;
}

interface Ask {
  readonly prompt?: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
}

function ask(
  provider: FakeProvider,
  { prompt = "Hello there", model = "m", stream = true, maxTokens, signal }: Ask = {},
) {
  return fetch(`${provider.url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer secret-key-1" },
    body: JSON.stringify({
      model,
      stream,
      max_tokens: maxTokens,
      messages: [{ role: "user", content: prompt }],
    }),
    ...(signal && { signal }),
  });
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

/** Text, finish reason and usage of a streamed body. */
function readEvents(body: string) {
  const data = [...body.matchAll(/^data: (.+)$/gm)].map(([, text]) => text ?? "");
  const chunks = data.filter((text) => text !== "[DONE]").map((text) => JSON.parse(text) as Chunk);
  return {
    text: chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
    finishReason: chunks.findLast(({ choices }) => choices[0]?.finish_reason)?.choices[0]
      ?.finish_reason,
    usage: chunks.find(({ usage }) => usage)?.usage,
    isDone: data.at(-1) === "[DONE]",
  };
}

const answer = (text: string, more: object = {}): FakeReply => ({ type: "answer", text, ...more });

describe("an honest answer", () => {
  it("streams text, finish, usage and the end marker, and bills what it sent", async () => {
    const provider = await start([answer("four tokens here")]);
    const events = readEvents(await (await ask(provider)).text());
    expect(events).toEqual({
      text: "four tokens here",
      finishReason: "stop",
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      isDone: true,
    });
    expect(provider.counters()).toMatchObject({
      requests: 1,
      promptTokens: 3,
      completionTokens: 4,
      open: 0,
      abandoned: 0,
      byModel: { m: { requests: 1, promptTokens: 3, completionTokens: 4 } },
    });
  });

  it("answers in one JSON body when no stream is asked for", async () => {
    const provider = await start([answer("whole")]);
    const body = await (await ask(provider, { stream: false })).json();
    expect(body).toMatchObject({
      choices: [{ message: { content: "whole" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
  });

  it("says the same for the same prompt, and plans four searches for a topic", async () => {
    const provider = await start();
    const prompt = "Plan the research.\nTopic: tidal power";
    const first = readEvents(await (await ask(provider, { prompt })).text()).text;
    const second = readEvents(await (await ask(provider, { prompt })).text()).text;
    expect(second).toBe(first);
    expect((JSON.parse(first) as { queries: string[] }).queries).toHaveLength(4);
    expect(first).toContain("tidal power");
  });

  it("stops at max_tokens with finish reason length, never in the middle of a character", async () => {
    const provider = await start([answer("ääääääää")]);
    const events = readEvents(await (await ask(provider, { maxTokens: 2 })).text());
    expect(events).toMatchObject({ text: "ääää", finishReason: "length" });
    expect(provider.counters().completionTokens).toBe(2);
  });

  it("goes beyond max_tokens when told to, and bills it", async () => {
    const provider = await start([answer("far more than asked", { ignoreMaxTokens: true })]);
    const events = readEvents(await (await ask(provider, { maxTokens: 1 })).text());
    expect(events.text).toBe("far more than asked");
    expect(provider.counters().completionTokens).toBe(5);
  });

  it("reports no usage, a wrong usage, or an unknown finish reason as scripted", async () => {
    const wrong = { prompt_tokens: 900, completion_tokens: 300 };
    const provider = await start([
      answer("a", { usage: "missing" }),
      answer("a", { usage: wrong }),
      answer("a", { finishReason: "model_paused" }),
    ]);
    expect(readEvents(await (await ask(provider)).text()).usage).toBeUndefined();
    expect(provider.counters()).toMatchObject({ promptTokens: 3, completionTokens: 1 });
    expect(readEvents(await (await ask(provider)).text()).usage).toEqual(wrong);
    expect(provider.counters()).toMatchObject({ promptTokens: 903, completionTokens: 301 });
    expect(readEvents(await (await ask(provider)).text()).finishReason).toBe("model_paused");
  });

  it("can keep the connection open after the end marker", async () => {
    const provider = await start([answer("done", { holdOpen: true })]);
    const response = await ask(provider);
    const reader = response.body?.getReader();
    let seen = "";
    while (!seen.includes("[DONE]"))
      seen += new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
    expect(provider.counters().open).toBe(1);
    provider.release();
    expect((await reader?.read())?.done).toBe(true);
    await until(() => provider.counters().open === 0);
  });
});

describe("a script", () => {
  it("is played in order, per model, and then gives way to honest answers", async () => {
    const provider = await start({
      models: { big: [{ type: "status", status: 529 }] },
      otherwise: answer("otherwise"),
    });
    expect((await ask(provider, { model: "big" })).status).toBe(529);
    expect((await ask(provider, { model: "big" })).status).toBe(200);
    expect((await ask(provider, { model: "small" })).status).toBe(200);
    expect(provider.counters().byModel).toMatchObject({
      big: { requests: 2 },
      small: { requests: 1 },
    });
  });

  it("may be a function of the request", async () => {
    const provider = await start(({ messages }) => answer(`echo ${messages[0]?.content}`));
    expect(readEvents(await (await ask(provider, { prompt: "x" })).text()).text).toBe("echo x");
  });
});

describe("failures", () => {
  it("answers with a status, headers and body, billing nothing", async () => {
    const provider = await start([
      {
        type: "status",
        status: 429,
        headers: { "retry-after": "7" },
        body: { error: { code: "x" } },
      },
      { type: "status", status: 401, echoCredential: true },
      { type: "status", status: 500, body: "<html>oops</html>" },
    ]);
    const limited = await ask(provider);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await limited.json()).toEqual({ error: { code: "x" } });
    expect(await (await ask(provider)).text()).toContain("secret-key-1");
    expect(await (await ask(provider)).text()).toBe("<html>oops</html>");
    expect(provider.counters()).toMatchObject({
      requests: 3,
      promptTokens: 0,
      completionTokens: 0,
    });
  });

  it("sends an error object inside a 200, before or after text", async () => {
    const error = { message: "busy", type: "overloaded_error" };
    const provider = await start([
      { type: "error_in_200", error },
      { type: "error_in_200", error, afterCharacters: 5 },
      { type: "error_in_200", error },
    ]);
    expect(await (await ask(provider)).text()).toBe(`data: ${JSON.stringify({ error })}\n\n`);
    expect(await (await ask(provider)).text()).toMatch(/content":"An an.*\n\ndata: \{"error"/s);
    expect(await (await ask(provider, { stream: false })).json()).toEqual({ error });
  });

  it("hangs before the headers and bills the input of a caller that gave up", async () => {
    const provider = await start([{ type: "hang", at: "headers" }]);
    const controller = new AbortController();
    const call = ask(provider, { signal: controller.signal });
    await until(() => provider.counters().open === 1);
    controller.abort();
    await expect(call).rejects.toThrow("aborted");
    await until(() => provider.counters().open === 0);
    expect(provider.counters()).toMatchObject({
      requests: 1,
      promptTokens: 3,
      completionTokens: 0,
      abandoned: 1,
    });
  });

  it("hangs in the middle of the text and goes on when released", async () => {
    const provider = await start([
      { type: "hang", at: "body", afterCharacters: 5, text: "hello world" },
    ]);
    const response = await ask(provider);
    expect(provider.counters().open).toBe(1);
    provider.release();
    // Released before or after it began to hang: a second release is harmless.
    const body = response.text();
    await until(() => {
      provider.release();
      return provider.counters().open === 0;
    });
    expect(readEvents(await body).text).toBe("hello world");
  });

  it("hangs in the middle of a JSON body", async () => {
    const provider = await start([{ type: "hang", at: "body", text: "hello world" }]);
    const response = await ask(provider, { stream: false });
    const body = response.json();
    await until(() => {
      provider.release();
      return provider.counters().open === 0;
    });
    expect(await body).toMatchObject({ choices: [{ message: { content: "hello world" } }] });
  });

  it("ends cleanly without a finish, closes, or resets, before or after the headers", async () => {
    const provider = await start([
      { type: "cut", how: "end", at: "body", afterCharacters: 5 },
      { type: "cut", how: "close", at: "body", afterCharacters: 5 },
      { type: "cut", how: "reset", at: "body", afterCharacters: 5 },
      { type: "cut", how: "close", at: "headers" },
      { type: "cut", how: "reset", at: "headers" },
    ]);
    const clean = readEvents(await (await ask(provider)).text());
    expect(clean).toMatchObject({ text: "An an", finishReason: undefined, isDone: false });
    for (let index = 0; index < 2; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the script is a list
      await expect((await ask(provider)).text()).rejects.toThrow("terminated");
    }
    for (let index = 0; index < 2; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the script is a list
      await expect(ask(provider)).rejects.toThrow("fetch failed");
    }
    expect(provider.counters()).toMatchObject({ requests: 5, promptTokens: 15, abandoned: 0 });
  });

  it("can be cut after the finish, with half an event as the last bytes", async () => {
    const provider = await start([
      { type: "cut", how: "end", at: "body", afterFinish: true, tail: 'data: {"type":"m' },
    ]);
    const body = await (await ask(provider)).text();
    expect(body).toContain('"finish_reason":"stop"');
    expect(body.endsWith('data: {"type":"m')).toBe(true);
  });

  it("floods with pings that carry nothing until the caller leaves", async () => {
    const provider = await start([{ type: "ping_flood", everyMs: 1 }]);
    const reader = (await ask(provider)).body?.getReader();
    let seen = "";
    while (seen.length < 40)
      seen += new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
    expect(seen.replaceAll(": ping\n\n", "")).toMatch(/^(: ping?\n?)?$/);
    await reader?.cancel();
    await until(() => provider.counters().open === 0);
    expect(provider.counters()).toMatchObject({ abandoned: 1, completionTokens: 0 });
  });

  it("sends one broken chunk and goes on to a normal end", async () => {
    const provider = await start([{ type: "malformed_chunk", afterCharacters: 5 }]);
    const body = await (await ask(provider)).text();
    expect(body).toContain('data: {"choices":[{"delta":{"content":"half\n\n');
    expect(body).toContain('"finish_reason":"stop"');
  });

  it("answers with any body and type", async () => {
    const provider = await start([
      { type: "raw", contentType: "text/html", body: "<html>login</html>" },
      {
        type: "raw",
        status: 307,
        contentType: "text/plain",
        body: "",
        headers: { location: "/x" },
      },
    ]);
    const page = await ask(provider);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"]);
    await page.text();
  });

  it("refuses what is no chat request without counting it", async () => {
    const provider = await start();
    const response = await fetch(`${provider.url}/chat/completions`, { method: "POST", body: "{" });
    expect(response.status).toBe(400);
    expect((await fetch(`${provider.url}/models`)).status).toBe(404);
    expect(provider.counters().requests).toBe(0);
  });
});

describe("closing", () => {
  it("leaves no connection and no listener, whatever hangs", async () => {
    const provider = await start([{ type: "hang", at: "headers" }]);
    const call = ask(provider).catch(() => "gone");
    await until(() => provider.counters().open === 1);
    await provider.close();
    expect(await call).toBe("gone");
    expect(provider.connections()).toBe(0);
    const port = Number(new URL(provider.url).port);
    const refused = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.once("connect", () => resolve("connected"));
    });
    expect(refused).toBe("ECONNREFUSED");
  });
});
