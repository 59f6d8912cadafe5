/** Bytes, as the public documentation of each API shows them; no client in between. */
import { describe, expect, it } from "vitest";

import type { AnswerPart, FakeApi, FakeReply } from "../src/fake-llm/index.ts";
import { apis, forms, withProvider } from "./fake-llm/hear.ts";
import { fetchRaw, rawEvents } from "./fake-llm/raw-request.ts";

async function rawBody(reply: FakeReply, api: FakeApi, stream = true): Promise<string> {
  return withProvider([reply], async ({ url }) => (await fetchRaw(url, { api, stream })).text());
}

const parts: readonly AnswerPart[] = [
  { type: "reasoning", text: "Hm", signature: "c2ln" },
  { type: "text", text: "Ok" },
  { type: "tool_call", name: "go", arguments: { n: 1 }, cutAt: [4] },
];

interface Data {
  readonly [member: string]: unknown;
}

/** Event names, or for APIs without them what tells their chunks apart. */
async function told(reply: FakeReply, api: FakeApi) {
  const events = rawEvents(await rawBody(reply, api));
  return events.map(({ event, data }) => {
    const parsed = data === "[DONE]" ? data : (JSON.parse(data) as Data);
    // The name of an event, where it has one, and the type in its data are the same.
    expect([undefined, typeof parsed === "string" ? undefined : parsed["type"]]).toContain(event);
    return { event, data: parsed };
  });
}

describe("events of a streamed answer", () => {
  it("Anthropic: every block starts, grows and stops; thinking is signed; usage is cumulative", async () => {
    const events = await told({ type: "answer", parts }, "anthropic-messages");
    const block = (index: number, content: object, ...deltas: object[]) => [
      { type: "content_block_start", index, content_block: content },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
    const caches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const before = { input_tokens: 3, ...caches, output_tokens: 0 };
    expect(events.map(({ data }) => data)).toMatchObject([
      {
        type: "message_start",
        message: {
          type: "message",
          role: "assistant",
          content: [],
          stop_reason: null,
          usage: before,
        },
      },
      { type: "ping" },
      ...block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "Hm" },
        { type: "signature_delta", signature: "c2ln" },
      ),
      ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "Ok" }),
      ...block(
        2,
        { type: "tool_use", id: "toolu_fake_2", name: "go", input: {} },
        { type: "input_json_delta", partial_json: '{"n"' },
        { type: "input_json_delta", partial_json: ":1}" },
      ),
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use", stop_sequence: null },
        usage: { input_tokens: 3, ...caches, output_tokens: 3 },
      },
      { type: "message_stop" },
    ]);
  });

  it("OpenAI responses: every item and its contents are added, grow, and are done", async () => {
    const events = await told({ type: "answer", parts }, "openai-responses");
    expect(events.map(({ event }) => event)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.reasoning_summary_part.added",
      "response.reasoning_summary_text.delta",
      "response.reasoning_summary_text.done",
      "response.reasoning_summary_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      response: {
        object: "response",
        status: "completed",
        output: [
          {
            type: "reasoning",
            summary: [{ type: "summary_text", text: "Hm" }],
            encrypted_content: "c2ln",
          },
          {
            type: "message",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "Ok", annotations: [] }],
          },
          { type: "function_call", call_id: "call_fake_2", name: "go", arguments: '{"n":1}' },
        ],
      },
    });
  });

  it("OpenAI chat: a call's name goes with its first piece, usage after the finish, then the marker", async () => {
    const events = await told({ type: "answer", parts }, "openai-chat");
    const call = { index: 0, id: "call_fake_0", type: "function" };
    const deltas = events
      .map(({ data }) => (data as { choices?: [{ delta: object }] }).choices?.[0]?.delta)
      .filter((delta) => delta !== undefined);
    expect(deltas).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "Hm" },
      { content: "Ok" },
      { tool_calls: [{ ...call, function: { name: "go", arguments: '{"n"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
      {},
    ]);
    expect(events.slice(-2)).toMatchObject([
      { data: { choices: [], usage: { total_tokens: 6 } } },
      { data: "[DONE]" },
    ]);
  });
});

const errorEvent: Readonly<Record<FakeApi, readonly object[]>> = {
  "openai-chat": [{ error: { type: "overloaded_error", message: "busy" } }],
  "openai-responses": [
    { type: "error", code: "overloaded_error", message: "busy", param: null },
    { type: "response.failed", response: { status: "failed", error: { message: "busy" } } },
  ],
  "anthropic-messages": [{ type: "error", error: { type: "overloaded_error", message: "busy" } }],
};

describe.each(apis)("%s, going wrong in the stream", (api) => {
  const error = { type: "overloaded_error", message: "busy" };

  it("sends the API's own error before anything else, or in the middle of a call's arguments", async () => {
    const alone = await told({ type: "error_in_200", error }, api);
    expect(alone.map(({ data }) => data)).toMatchObject(errorEvent[api]);
    const late = await rawBody({ type: "error_in_200", error, parts, afterCharacters: 6 }, api);
    expect(late).toContain('{\\"');
    expect(late).not.toContain('\\"n\\"');
    const events = rawEvents(late).slice(-errorEvent[api].length);
    expect(events.map(({ data }) => JSON.parse(data) as object)).toMatchObject(errorEvent[api]);
  });

  it("breaks one event and goes on to a normal end", async () => {
    const events = rawEvents(await rawBody({ type: "malformed_chunk", afterCharacters: 5 }, api));
    const broken = events.filter(({ data }) => {
      try {
        return data !== "[DONE]" && JSON.parse(data) === undefined;
      } catch {
        return true;
      }
    });
    expect(broken).toHaveLength(1);
    expect(events.indexOf(broken[0] as (typeof events)[number])).toBeLessThan(events.length - 2);
  });

  it("is cut within a part, which then is not closed, or closed once the next has begun", async () => {
    const cut = (afterCharacters: number): Promise<string> =>
      rawBody({ type: "cut", how: "end", at: "body", parts, afterCharacters }, api);
    const names = async (characters: number): Promise<readonly (string | undefined)[]> =>
      rawEvents(await cut(characters)).map(({ event }) => event);
    const closing = /_stop$|item\.done$/;
    const closed = async (characters: number): Promise<number> =>
      (await names(characters)).filter((name) => closing.test(name ?? "")).length;
    expect(await Promise.all([0, 2, 3, 5].map(closed))).toEqual(
      api === "openai-chat" ? [0, 0, 0, 0] : [0, 0, 1, 2],
    );
    expect(await cut(2)).toContain("Hm");
    expect(await cut(2)).not.toContain("Ok");
    expect(await cut(3)).toMatch(/"O"/);
  });

  it("ends without its last event when the cut comes after the finish", async () => {
    const body = await rawBody({ type: "cut", how: "end", at: "body", afterFinish: true }, api);
    expect(body).toMatch(/"finish_reason":"stop"|"end_turn"|response\.completed/);
    expect(body).not.toMatch(/\[DONE\]|message_stop/);
  });

  it("ends a stream without a stop reason", async () => {
    const body = await rawBody({ type: "answer", text: "half", finishReason: "none" }, api);
    expect(body).toContain("half");
    expect(body).not.toMatch(/"stop"|end_turn|response\.completed/);
  });
});

describe.each(forms)("$api, $form", ({ api, stream }) => {
  it("says that its body is something else", async () => {
    const reply: FakeReply = { type: "answer", text: "Ok", contentType: "text/html" };
    await withProvider([reply], async ({ url }) => {
      const response = await fetchRaw(url, { api, stream });
      expect(response.headers.get("content-type")).toBe("text/html");
      expect(await response.text()).toContain("Ok");
    });
  });

  it("gives the same bytes for the same script", async () => {
    const reply: FakeReply = { type: "answer", parts };
    expect(await rawBody(reply, api, stream)).toBe(await rawBody(reply, api, stream));
  });

  it("sends signs of life that carry nothing, until its caller leaves", async () => {
    await withProvider([{ type: "ping_flood", everyMs: 1 }], async (provider) => {
      const { url } = provider;
      const reader = (await fetchRaw(url, { api, stream })).body?.getReader();
      let seen = "";
      while (seen.length < 120) {
        // oxlint-disable-next-line no-await-in-loop -- read until there is enough
        seen += new TextDecoder().decode((await reader?.read())?.value as Uint8Array);
      }
      await reader?.cancel();
      expect(seen).toMatch(/^(: ping\n\n|event: ping\ndata: \{"type":"ping"\}\n\n| )+/);
      expect(provider.counters().completionTokens).toBe(0);
    });
  });
});

describe("an error as the whole body of a 200", () => {
  const error = { type: "overloaded_error", message: "busy" };

  it.each<readonly [FakeApi, object]>([
    ["openai-chat", { error }],
    [
      "openai-responses",
      { status: "failed", error: { code: "overloaded_error", message: "busy" } },
    ],
    ["anthropic-messages", { type: "error", error }],
  ])("%s", async (api, body) => {
    const text = await rawBody({ type: "error_in_200", error }, api, false);
    expect(JSON.parse(text)).toMatchObject(body);
  });
});

describe("malformed arguments of a whole answer", () => {
  const call: AnswerPart = { type: "tool_call", name: "go", arguments: '{"n": ' };

  it.each<readonly [FakeApi, RegExp]>([
    ["openai-chat", /"arguments":"\{\\"n\\": "/],
    ["openai-responses", /"arguments":"\{\\"n\\": "/],
    ["anthropic-messages", /"input":"\{\\"n\\": "/],
  ])("%s", async (api, expected) => {
    expect(await rawBody({ type: "answer", parts: [call] }, api, false)).toMatch(expected);
  });
});
