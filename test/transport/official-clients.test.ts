/** The official SDKs with our fetch as theirs, over real HTTP; the provider counts requests and connections. */
import Anthropic from "@anthropic-ai/sdk";
import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import type { FakeProvider, FakeScript } from "@bridle/fake-agents/fake-llm";
import type { FetchOptions } from "@bridle/transport";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { createDropIn, endAll, quietly, serve, serveTcp } from "./serve.ts";

const providers: FakeProvider[] = [];

afterEach(async () => {
  await endAll();
  await Promise.all(providers.splice(0).map((provider) => provider.close()));
});

async function startProvider(script: FakeScript = []): Promise<FakeProvider> {
  const provider = await startFakeProvider({ script });
  providers.push(provider);
  return provider;
}

const apiKey = "canary-key";

function openaiAt(baseURL: string, options?: FetchOptions): OpenAI {
  return new OpenAI({ apiKey, baseURL, fetch: createDropIn(options), maxRetries: 0 });
}

function anthropicAt(baseURL: string, options?: FetchOptions): Anthropic {
  return new Anthropic({ apiKey, baseURL, fetch: createDropIn(options), maxRetries: 0 });
}

const messages = [{ role: "user" as const, content: "Hi" }];
const chat = { model: "m", messages };
const streamed = { ...chat, stream: true as const };
const message = { model: "m", max_tokens: 9, messages };

const anthropicEvents = [
  {
    type: "message_start",
    message: { id: "m1", type: "message", role: "assistant", model: "m", content: [], usage: {} },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
];
const asEvents = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** The first `count` events of a message, and silence if that is not all. */
async function serveMessage(count = anthropicEvents.length) {
  return serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(asEvents(anthropicEvents.slice(0, count)));
    if (count === anthropicEvents.length) response.end();
  });
}

describe("the official OpenAI client", () => {
  it("gets an answer, whole and streamed, over one connection", async () => {
    const provider = await startProvider();
    const client = openaiAt(provider.url);
    const whole = await client.chat.completions.create(chat);
    let text = "";
    for await (const chunk of await client.chat.completions.create(streamed)) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).not.toBe("");
    expect(whole.choices[0]?.message.content).not.toBe("");
    expect([provider.requests().length, provider.connections()]).toEqual([2, 1]);
  });

  it("uploads a form", async () => {
    const peer = await serve((response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"file-1"}'),
    );
    const file = new File(["line"], "a.jsonl");
    const made = await openaiAt(peer.url).files.create({ file, purpose: "batch" });
    expect(made.id).toBe("file-1");
    expect(peer.received[0]?.["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(Number(peer.received[0]?.["content-length"])).toBeGreaterThan(100);
  });

  it("[B008] asks once for an answer of 500, and once where the connection breaks", async () => {
    const provider = await startProvider([
      { type: "status", status: 500 },
      { type: "cut", how: "reset", at: "headers" },
    ]);
    const client = openaiAt(provider.url);
    await expect(client.chat.completions.create(chat)).rejects.toMatchObject({ status: 500 });
    await expect(client.chat.completions.create(chat)).rejects.toMatchObject({
      cause: { code: "connection_lost" },
    });
    expect(provider.requests()).toHaveLength(2);
  });

  it.each(["1e309", "Fri, 31 Dec 99999 23:59:59 GMT", "-5", "9".repeat(400)])(
    "[B005] sees a 429 with Retry-After %s as the 429 it is",
    async (value) => {
      const headers = { "retry-after": value };
      const provider = await startProvider([{ type: "status", status: 429, headers }]);
      const call = openaiAt(provider.url).chat.completions.create(chat);
      await expect(call).rejects.toBeInstanceOf(OpenAI.RateLimitError);
      await expect(call).rejects.toMatchObject({ status: 429 });
      expect(provider.requests()).toHaveLength(1);
    },
  );
});

describe("the official Anthropic client", () => {
  it("gets a streamed message", async () => {
    const peer = await serveMessage();
    const client = anthropicAt(peer.url);
    const final = await client.messages.stream(message).finalMessage();
    expect([final.content[0], final.stop_reason]).toMatchObject([{ text: "Hello" }, "end_turn"]);
    expect([peer.received.length, peer.accepted()]).toEqual([1, 1]);
  });

  it("[L16] is not held by pings: the stall is its error's cause, and the request is closed", async () => {
    const peer = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(asEvents(anthropicEvents.slice(0, 4)));
      // Real time: the peer's own pace.
      const pings = setInterval(() => response.write(asEvents([{ type: "ping" }])), 5);
      response.on("close", () => clearInterval(pings));
    });
    const client = anthropicAt(peer.url, { stallMs: 80 });
    const stream = await client.messages.create({ ...message, stream: true });
    const read = async (): Promise<void> => {
      for await (const event of stream) expect(event.type).not.toBe("message_stop");
    };
    await expect(read()).rejects.toMatchObject({ code: "stall_timeout" });
    await until(() => peer.sockets.size === 0);
  });
});

interface Streamed extends AsyncIterable<unknown> {
  readonly controller: AbortController;
}

interface Client {
  readonly name: string;
  /** Streams from a provider that sends some of a stream and then nothing, or nothing at all. */
  readonly ask: (url: string, options: object, fetchOptions?: FetchOptions) => Promise<Streamed>;
  readonly events: string;
  readonly AbortError: new (...parameters: never[]) => Error;
  readonly TimeoutError: new (...parameters: never[]) => Error;
}

const chunk = {
  id: "c",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content: "Hi" } }],
};

const clients: readonly Client[] = [
  {
    name: "OpenAI",
    ask: async (url, options, fetchOptions) =>
      openaiAt(url, fetchOptions).chat.completions.create(streamed, options),
    events: `data: ${JSON.stringify(chunk)}\n\n`,
    AbortError: OpenAI.APIUserAbortError,
    TimeoutError: OpenAI.APIConnectionTimeoutError,
  },
  {
    name: "Anthropic",
    ask: async (url, options, fetchOptions) =>
      anthropicAt(url, fetchOptions).messages.create({ ...message, stream: true }, options),
    events: asEvents(anthropicEvents.slice(0, 4)),
    AbortError: Anthropic.APIUserAbortError,
    TimeoutError: Anthropic.APIConnectionTimeoutError,
  },
];

describe.each(clients)("T3: through the official $name client", (client) => {
  const { ask, events } = client;
  const silent = () => serve(() => undefined);
  const halfway = () =>
    serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(events);
    });

  it("[B032] a signal that had aborted before sends nothing", async () => {
    const peer = await silent();
    const call = ask(peer.url, { signal: AbortSignal.abort() });
    await expect(call).rejects.toBeInstanceOf(client.AbortError);
    expect(peer.accepted()).toBe(0);
  });

  it("an abort while it connects closes the connection", async () => {
    const peer = await serveTcp((socket) => socket.resume(), "https");
    const controller = new AbortController();
    const call = quietly(ask(peer.url, { signal: controller.signal }));
    await until(() => peer.sockets.size === 1);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(client.AbortError);
    await until(() => peer.sockets.size === 0);
  });

  it("an abort before the headers closes the request", async () => {
    const peer = await silent();
    const controller = new AbortController();
    const call = quietly(ask(peer.url, { signal: controller.signal }));
    await until(() => peer.received.length === 1);
    controller.abort();
    await expect(call).rejects.toBeInstanceOf(client.AbortError);
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it("its own timeout closes the request", async () => {
    const peer = await silent();
    const call = ask(peer.url, { timeout: 50 });
    await expect(call).rejects.toBeInstanceOf(client.TimeoutError);
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it("an abort in the middle of a stream that is awaited closes the request", async () => {
    const peer = await halfway();
    const controller = new AbortController();
    const stream = await ask(peer.url, { signal: controller.signal });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const drained = drain(iterator);
    controller.abort();
    await drained;
    await until(() => peer.sockets.size === 0);
    expect(peer.closedEarly()).toBe(1);
  });

  it("an abort of a stream that nobody reads closes the request", async () => {
    const peer = await halfway();
    const stream = await ask(peer.url, {});
    expect(peer.sockets.size).toBe(1);
    stream.controller.abort();
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it("a consumer that leaves its loop closes the request", async () => {
    const peer = await halfway();
    for await (const part of await ask(peer.url, {})) {
      expect(part).toBeDefined();
      break;
    }
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it.each([
    ["connect_timeout", { connectMs: 50 }],
    ["first_byte_timeout", { firstByteMs: 50 }],
    ["total_timeout", { totalMs: 50 }],
  ])("our limit closes the request, and its error keeps %s as its cause", async (code, limit) => {
    const isConnecting = code === "connect_timeout";
    const peer = isConnecting
      ? await serveTcp((socket) => socket.resume(), "https")
      : await silent();
    await expect(ask(peer.url, {}, limit)).rejects.toMatchObject({ cause: { code } });
    await until(() => peer.sockets.size === 0);
    // Control: the client did not ask again.
    expect(peer.accepted()).toBe(1);
  });

  it.each([
    ["JSON where a stream was asked for", "application/json", "{}", "unexpected_content_type"],
    ["a login page", "text/html", "<html>Sign in</html>", "unexpected_content_type"],
  ])("[B017] %s is an error, not an empty stream", async (_words, type, body, code) => {
    const peer = await serve((response) =>
      response.writeHead(200, { "content-type": type }).end(body),
    );
    await expect(ask(peer.url, {})).rejects.toMatchObject({ cause: { code } });
    expect(peer.received).toHaveLength(1);
  });
});

/** To its end, whatever that is: SDKs end an aborted stream in silence or with an error. */
async function drain(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    while ((await iterator.next()).done !== true);
  } catch {
    // An end as well.
  }
}
