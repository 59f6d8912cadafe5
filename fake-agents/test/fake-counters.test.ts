import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { FakeApi, FakeCounters, FakeReply } from "../src/fake-llm/index.ts";
import { apis, forms, hearReply, withProvider } from "./fake-llm/hear.ts";
import { requestBody } from "./fake-llm/raw-request.ts";
import { askAfterwards, askRudely } from "./fake-llm/rude-client.ts";
import type { Rudeness } from "./fake-llm/rude-client.ts";
import { until } from "./until.ts";

/** Every way to answer, and to answer badly. */
const replies: readonly FakeReply[] = [
  { type: "answer", text: "word ".repeat(40) },
  { type: "answer", text: "word ".repeat(40), delayMs: 1 },
  { type: "answer", parts: [{ type: "tool_call", name: "f", arguments: { a: "b".repeat(99) } }] },
  { type: "answer", text: "done", holdOpen: true },
  { type: "status", status: 529, retryAfter: { seconds: 1 } },
  { type: "error_in_200", error: { message: "busy" }, afterCharacters: 5 },
  { type: "hang", at: "headers" },
  { type: "hang", at: "body", afterCharacters: 7 },
  { type: "cut", how: "close", at: "headers" },
  { type: "cut", how: "end", at: "body", afterCharacters: 7 },
  { type: "cut", how: "reset", at: "body", afterCharacters: 7 },
  { type: "ping_flood", everyMs: 1 },
  { type: "malformed_chunk", afterCharacters: 7 },
  { type: "http2_only" },
  { type: "raw", contentType: "text/html", body: "<html>" },
];

/** Most requests are whole and most answers are left early: there the accidents are. */
const rudeness: fc.Arbitrary<Rudeness> = fc.record({
  api: fc.constantFrom<FakeApi[]>(...apis),
  stream: fc.boolean(),
  pipelined: fc.integer({ min: 1, max: 3 }),
  sends: fc.oneof(
    { weight: 3, arbitrary: fc.constant(Number.POSITIVE_INFINITY) },
    { weight: 1, arbitrary: fc.nat(700) },
  ),
  reads: fc.oneof(fc.nat(3000), fc.nat(20), fc.constant(100_000)),
  leaves: fc.constantFrom<Rudeness["leaves"][]>("destroy", "reset", "half-close"),
});

/** What stands in the books when a rude client and a polite one after it are gone. */
async function countersAfter(client: Rudeness, reply: FakeReply): Promise<FakeCounters> {
  return withProvider([], async (provider) => {
    const { url } = provider;
    const port = Number(new URL(url).port);
    provider.play({ otherwise: reply });
    await askRudely(port, client);
    provider.play([]);
    await askAfterwards(port);
    await until(() => provider.connections() === 0);
    return provider.counters();
  });
}

describe("the counters", () => {
  it("have nothing open once a client has left, at whatever byte it did", async () => {
    const seen = { requests: 0, abandoned: 0 };
    await fc.assert(
      fc.asyncProperty(rudeness, fc.constantFrom(...replies), async (client, reply) => {
        const { requests, open, abandoned, promptTokens } = await countersAfter(client, reply);
        seen.requests += requests - 1;
        seen.abandoned += abandoned;
        expect(open).toBe(0);
        expect(requests).toBeLessThanOrEqual(client.pipelined + 1);
        expect(abandoned).toBeLessThan(requests);
        // Three tokens for each request that was taken in, and never twice.
        expect(promptTokens % 3).toBe(0);
        expect(promptTokens).toBeLessThanOrEqual(3 * requests);
      }),
      { numRuns: 250 },
    );
    // The control: there were requests, and some were left before their end.
    expect(seen.abandoned).toBeGreaterThan(20);
    expect(seen.requests).toBeGreaterThan(seen.abandoned);
  });

  it.each(forms)("bill alike in every API: $api, $form", async ({ api, stream }) => {
    const reply: FakeReply = {
      type: "answer",
      parts: [
        { type: "reasoning", text: "Thinking it over." },
        { type: "tool_call", name: "f", arguments: { n: 12 } },
      ],
    };
    const { counters } = await hearReply(reply, { api, stream });
    expect(counters).toMatchObject({
      requests: 1,
      promptTokens: 3,
      completionTokens: 7,
      open: 0,
      abandoned: 0,
    });
  });
});

describe("a request", () => {
  const tool = { name: "f", result: "It rains." };

  it.each<readonly [FakeApi, object]>([
    [
      "openai-chat",
      {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: [{ type: "text", text: "Rain?" }] },
          { role: "assistant", content: null, tool_calls: [] },
          { role: "tool", tool_call_id: "1", content: tool.result },
        ],
      },
    ],
    [
      "openai-responses",
      {
        instructions: "Be brief.",
        input: [
          { role: "user", content: [{ type: "input_text", text: "Rain?" }] },
          { type: "message", role: "assistant", content: [] },
          { type: "function_call", call_id: "1", name: "f", arguments: "{}" },
          { type: "function_call_output", call_id: "1", output: tool.result },
        ],
      },
    ],
    [
      "anthropic-messages",
      {
        system: [{ type: "text", text: "Be brief." }],
        max_tokens: 9,
        messages: [
          { role: "user", content: "Rain?" },
          { role: "assistant", content: [{ type: "tool_use", id: "1", name: "f", input: {} }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "1",
                content: [{ type: "text", text: tool.result }],
              },
            ],
          },
        ],
      },
    ],
  ])("says the same to a script, whatever API it came by: %s", async (api, body) => {
    const path = { "openai-chat": "chat/completions", "openai-responses": "responses" };
    const where = api === "anthropic-messages" ? "messages?beta=true" : path[api];
    await withProvider([], async (provider) => {
      const { url } = provider;
      const response = await fetch(`${url}/${where}`, {
        method: "POST",
        body: JSON.stringify({ ...JSON.parse(requestBody(api, false)), ...body }),
      });
      expect(response.status).toBe(200);
      expect(provider.requests()).toMatchObject([
        {
          api,
          model: "m",
          stream: false,
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "Rain?" },
            { role: "assistant", content: "" },
            { role: "tool", content: "It rains." },
          ],
        },
      ]);
    });
  });
});
