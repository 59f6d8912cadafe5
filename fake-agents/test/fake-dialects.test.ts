/** Each reply in each API, streamed and whole, as that API's own official client reads it. */
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

import type { AnswerPart, AnswerReply, FakeApi } from "../src/fake-llm/index.ts";
import { forms, hearReply, withProvider } from "./fake-llm/hear.ts";
import { clientOptions, prompt } from "./fake-llm/heard.ts";

const answer = (more: Omit<AnswerReply, "type">): AnswerReply => ({ type: "answer", ...more });

const lookUp: AnswerPart = {
  type: "tool_call",
  name: "look_up",
  arguments: { city: "Zürich", days: [1, 2] },
};

const stops = {
  "openai-chat": { stop: "stop", length: "length", tool_calls: "tool_calls" },
  "openai-responses": { stop: "completed", length: "max_output_tokens", tool_calls: "completed" },
  "anthropic-messages": { stop: "end_turn", length: "max_tokens", tool_calls: "tool_use" },
} as const satisfies Record<FakeApi, object>;

interface Counted {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly written?: number;
  readonly reasoning?: number;
}

/** The same counts as each API reports them. */
const usageIn: Readonly<Record<FakeApi, (counted: Counted) => object>> = {
  "openai-chat": ({ input, output, cached, written, reasoning }) => ({
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cached && {
      prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    }),
    ...(reasoning && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }),
  "openai-responses": ({ input, output, cached = 0, written = 0, reasoning = 0 }) => ({
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }),
  "anthropic-messages": ({ input, output, cached = 0, written = 0, reasoning }) => ({
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(reasoning && { output_tokens_details: { thinking_tokens: reasoning } }),
  }),
};

describe.each(forms)("$api, $form", ({ api, stream }) => {
  it("says a text, stops, and bills what it counted", async () => {
    const heard = await hearReply(answer({ text: "four tokens here" }), { api, stream });
    expect(heard).toMatchObject({
      text: "four tokens here",
      reasoning: "",
      calls: [],
      stop: stops[api].stop,
    });
    expect(heard.usage).toEqual(usageIn[api]({ input: 3, output: 4 }));
    expect(heard.counters).toMatchObject({
      requests: 1,
      promptTokens: 3,
      completionTokens: 4,
      abandoned: 0,
      byModel: { m: { requests: 1 } },
    });
  });

  it("stops at the limit of output tokens, thinking included", async () => {
    const parts: AnswerPart[] = [
      { type: "reasoning", text: "Hmm well" },
      { type: "text", text: "ääääääää" },
    ];
    const heard = await hearReply(answer({ parts }), { api, stream, maxTokens: 4 });
    expect([heard.reasoning, heard.text, heard.stop]).toEqual([
      "Hmm well",
      "ääää",
      stops[api].length,
    ]);
    expect(heard.counters.completionTokens).toBe(4);
  });

  it.each<readonly [string, AnswerPart]>([
    ["in default pieces", lookUp],
    ["whole", { ...lookUp, cutAt: "whole" }],
    ["cut within a name, a character and a list", { ...lookUp, cutAt: [3, 12, 13, 25] }],
    ["without arguments", { ...lookUp, arguments: {} }],
  ])("calls tools after a text: %s", async (_how, call) => {
    const second: AnswerPart = { type: "tool_call", name: "stop_now", arguments: { a: null } };
    const parts: AnswerPart[] = [{ type: "text", text: "Let me see." }, call, second];
    const heard = await hearReply(answer({ parts }), { api, stream });
    expect(heard.text).toBe("Let me see.");
    expect(heard.calls).toEqual([
      { name: "look_up", arguments: (call as { arguments: unknown }).arguments },
      { name: "stop_now", arguments: { a: null } },
    ]);
    expect(heard.stop).toBe(stops[api].tool_calls);
  });

  it("thinks before it speaks, and its thinking is part of the output", async () => {
    const parts: AnswerPart[] = [
      { type: "reasoning", text: "A long thought." },
      { type: "text", text: "Yes." },
    ];
    const heard = await hearReply(answer({ parts }), { api, stream });
    expect([heard.reasoning, heard.text]).toEqual(["A long thought.", "Yes."]);
    expect(heard.usage).toEqual(usageIn[api]({ input: 3, output: 5, reasoning: 4 }));
  });

  it("only thinks, or says nothing at all", async () => {
    const thinking = answer({ parts: [{ type: "reasoning", text: "Hmm." }] });
    expect(await hearReply(thinking, { api, stream })).toMatchObject({
      text: "",
      reasoning: "Hmm.",
      calls: [],
      stop: stops[api].stop,
    });
    for (const nothing of [answer({ parts: [] }), answer({ text: "" })]) {
      // oxlint-disable-next-line no-await-in-loop -- one provider at a time
      const heard = await hearReply(nothing, { api, stream });
      expect(heard).toMatchObject({ text: "", reasoning: "", calls: [], stop: stops[api].stop });
      expect(heard.usage).toEqual(usageIn[api]({ input: 3, output: 0 }));
    }
  });

  it("declines as the API declines", async () => {
    const heard = await hearReply(answer({ parts: [{ type: "refusal", text: "I won't." }] }), {
      api,
      stream,
    });
    const stop = api === "anthropic-messages" ? "refusal" : stops[api].stop;
    expect([heard.refusal, heard.stop]).toEqual(["I won't.", stop]);
  });

  it("stops for reasons that the world knows, pauses, and for one that nobody knows", async () => {
    const reasons = ["length", "pause_turn", "gone_fishing"];
    const heard: unknown[] = [];
    for (const finishReason of reasons) {
      // oxlint-disable-next-line no-await-in-loop -- one provider at a time
      heard.push((await hearReply(answer({ text: "So far", finishReason }), { api, stream })).stop);
    }
    expect(heard).toEqual([stops[api].length, "pause_turn", "gone_fishing"]);
  });

  it("reports a scripted usage with cached and reasoned tokens in its own shape, and bills it", async () => {
    const usage = {
      prompt_tokens: 900,
      completion_tokens: 300,
      total_tokens: 1200,
      prompt_tokens_details: { cached_tokens: 700, cache_write_tokens: 100 },
      completion_tokens_details: { reasoning_tokens: 250 },
    };
    const heard = await hearReply(answer({ text: "a", usage }), { api, stream });
    const counted = { input: 900, output: 300, cached: 700, written: 100, reasoning: 250 };
    expect(heard.usage).toEqual(usageIn[api](counted));
    expect(heard.counters).toMatchObject({ promptTokens: 900, completionTokens: 300 });
  });

  it("goes beyond the limit when told to, slowly", async () => {
    const text = "far more than was asked for";
    const beyond = answer({ text, ignoreMaxTokens: true, delayMs: 1 });
    const heard = await hearReply(beyond, { api, stream, maxTokens: 1 });
    expect([heard.text, heard.stop]).toEqual([text, stops[api].stop]);
    expect(heard.counters.completionTokens).toBe(7);
  });
});

describe.each(forms)("$api, $form: a tool's arguments", ({ api, stream }) => {
  it("come out whole wherever they are cut, halves of a character included", async () => {
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    const values = fc.record({ said: fc.string({ unit: "grapheme", maxLength: 20 }) });
    await fc.assert(
      fc.asyncProperty(cuts, values, async (cutAt, value) => {
        const call: AnswerPart = { type: "tool_call", name: "f", arguments: value, cutAt };
        const { calls } = await hearReply(answer({ parts: [call] }), { api, stream });
        expect(calls).toEqual([{ name: "f", arguments: value }]);
      }),
    );
  });
});

describe("OpenAI's own accumulators, which put a stream together by themselves", () => {
  const reply = answer({
    parts: [
      { type: "reasoning", text: "A thought of some length." },
      { type: "text", text: "And what came of it." },
      { type: "tool_call", name: "f", arguments: { n: [1, 2, 3], said: "something longer" } },
    ],
  });
  const client = (url: string): OpenAI => new OpenAI({ ...clientOptions, baseURL: url });

  it("have a chat completion as the whole one is", async () => {
    await withProvider([reply, reply], async ({ url }) => {
      const { completions } = client(url).chat;
      const messages = [{ role: "user" as const, content: prompt }];
      const whole = await completions.create({ model: "m", messages });
      const streamed = await completions.stream({ model: "m", messages }).finalChatCompletion();
      const [choice] = streamed.choices;
      expect(choice).toMatchObject({ finish_reason: "tool_calls" });
      expect(choice?.message).toMatchObject({
        content: whole.choices[0]?.message.content,
        tool_calls: whole.choices[0]?.message.tool_calls,
      });
    });
  });

  it("have a response as the whole one is", async () => {
    await withProvider([reply, reply], async ({ url }) => {
      const { responses } = client(url);
      const whole = await responses.create({ model: "m", input: prompt });
      const stream = responses.stream({ model: "m", input: prompt });
      const snapshots: string[] = [];
      stream.on("response.output_text.delta", ({ snapshot }) => snapshots.push(snapshot));
      const streamed = await stream.finalResponse();
      expect(snapshots.at(-1)).toBe(whole.output_text);
      expect(streamed).toMatchObject({ usage: whole.usage, status: "completed" });
      expect(streamed.output).toMatchObject(whole.output);
    });
  });
});

describe("an answer without a usage", () => {
  const silent = answer({ text: "a", usage: "missing" });
  const needsUsage = { api: "anthropic-messages", stream: true } as const;
  const others = forms.filter(({ api, stream }) => api !== needsUsage.api || !stream);

  it.each(others)("says nothing of it and is billed: $api, $form", async ({ api, stream }) => {
    const heard = await hearReply(silent, { api, stream });
    expect(heard.usage).toBeUndefined();
    expect(heard.counters).toMatchObject({ promptTokens: 3, completionTokens: 1 });
  });

  it("is more than Anthropic's own client can put together from a stream", async () => {
    await expect(hearReply(silent, needsUsage)).rejects.toThrow("output_tokens");
  });
});
