/** Failures as each API's own official client understands them, and connections that never come to HTTP. */
import { connect } from "node:http2";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

import type { FakeApi, FakeReply } from "../src/fake-llm/index.ts";
import { apis, forms, hear, withProvider } from "./fake-llm/hear.ts";
import { fetchRaw, paths } from "./fake-llm/raw-request.ts";
import { askAfterwards, askRudely } from "./fake-llm/rude-client.ts";
import { until } from "./until.ts";

async function failureOf(reply: FakeReply, api: FakeApi, stream = false): Promise<unknown> {
  return withProvider([reply], async (provider) => {
    const { url } = provider;
    const failure = await hear[api]({ url, stream }).then(
      () => undefined,
      (error: unknown) => error,
    );
    await until(() => provider.counters().open === 0);
    return failure;
  });
}

const status = (code: number, error?: Record<string, unknown>): FakeReply => ({
  type: "status",
  status: code,
  error,
});

describe("an error status", () => {
  it.each<readonly [number, unknown, string]>([
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [401, Anthropic.AuthenticationError, "authentication_error"],
    [402, Anthropic.APIError, "billing_error"],
    [403, Anthropic.PermissionDeniedError, "permission_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [413, Anthropic.APIError, "request_too_large"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
    [504, Anthropic.InternalServerError, "timeout_error"],
    [529, Anthropic.InternalServerError, "overloaded_error"],
  ])("Anthropic names %d", async (code, kind, type) => {
    const failure = await failureOf(status(code), "anthropic-messages");
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ status: code, type, error: { type: "error" } });
  });

  it.each(["openai-chat", "openai-responses"] as const)(
    "OpenAI's client has status, type and code: %s",
    async (api) => {
      const error = {
        type: "insufficient_quota",
        code: "insufficient_quota",
        message: "No money.",
      };
      const failure = await failureOf(status(429, error), api);
      expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
      expect(failure).toMatchObject({ status: 429, error: { ...error, param: null } });
      expect(await failureOf(status(503), api)).toBeInstanceOf(OpenAI.InternalServerError);
    },
  );

  it.each(apis)("%s repeats the credential when told to", async (api) => {
    const reply: FakeReply = { type: "status", status: 401, echoCredential: true };
    expect(String(await failureOf(reply, api))).toContain("sk-test");
  });

  it.each(apis)("%s refuses what is none of its requests without counting it", async (api) => {
    await withProvider([], async (provider) => {
      const { url } = provider;
      for (const body of ["{", "null", "[]", '{"model":"m"}', '{"messages":[null],"model":1}']) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const response = await fetch(url + paths[api], { method: "POST", body });
        // oxlint-disable-next-line no-await-in-loop -- as above
        const { error } = (await response.json()) as { error: { type: string } };
        expect([body, response.status, error.type]).toEqual([body, 400, "invalid_request_error"]);
      }
      expect(provider.counters().requests).toBe(0);
    });
  });
});

describe("an error inside a stream", () => {
  const reply: FakeReply = {
    type: "error_in_200",
    error: { type: "overloaded_error", message: "busy" },
    afterCharacters: 5,
  };

  it.each(["openai-chat", "anthropic-messages"] as const)("is thrown: %s", async (api) => {
    const failure = await failureOf(reply, api, true);
    expect(failure).toHaveProperty("message", expect.stringContaining("busy"));
  });
});

describe("headers", () => {
  const rateLimits = {
    requests: { limit: 50, remaining: 4, resetMs: 361_000 },
    tokens: { limit: 9000, remaining: 0, resetMs: 20 },
    inputTokens: { limit: 8000, remaining: 1, resetMs: 3_661_500 },
  };

  async function headersOf(reply: FakeReply, api: FakeApi): Promise<Headers> {
    return withProvider([reply], async ({ url }) => {
      const response = await fetchRaw(url, { api, stream: true });
      await response.text();
      return response.headers;
    });
  }

  it.each(apis)("%s asks to wait in every form, also in an answer", async (api) => {
    const limited = (retryAfter: object): FakeReply =>
      ({ type: "status", status: 429, retryAfter, shouldRetry: false }) as FakeReply;
    const seconds = await headersOf(limited({ seconds: 1.5 }), api);
    expect([seconds.get("retry-after"), seconds.get("x-should-retry")]).toEqual(["1.5", "false"]);
    const ms = await headersOf(limited({ milliseconds: 20 }), api);
    expect([ms.get("retry-after-ms"), ms.get("retry-after")]).toEqual(["20", null]);
    const dates = await Promise.all(
      [3_600_000, -3_600_000].map(async (dateInMs) =>
        (await headersOf(limited({ dateInMs }), api)).get("retry-after"),
      ),
    );
    expect(dates.every((date) => date?.endsWith(" GMT"))).toBe(true);
    expect(dates.map((date) => Date.parse(date ?? "") > Date.now())).toEqual([true, false]);
    const answered = await headersOf({ type: "answer", headers: { "x-any": "1" } }, api);
    expect([answered.get("x-any"), answered.get("x-should-retry")]).toEqual(["1", null]);
  });

  it.each(["openai-chat", "openai-responses"] as const)("%s tells what is left", async (api) => {
    const headers = await headersOf({ type: "answer", rateLimits }, api);
    expect(Object.fromEntries(headers)).toMatchObject({
      "x-ratelimit-limit-requests": "50",
      "x-ratelimit-remaining-requests": "4",
      "x-ratelimit-reset-requests": "6m1s",
      "x-ratelimit-limit-tokens": "9000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "20ms",
    });
  });

  it("Anthropic tells what is left, until when, and apart for input", async () => {
    const headers = await headersOf(
      { type: "status", status: 429, rateLimits },
      "anthropic-messages",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "4",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-limit": "8000",
    });
    expect(headers.get("anthropic-ratelimit-requests-reset")).toMatch(/^\d{4}-.+T.+Z$/);
    expect(headers.get("anthropic-ratelimit-output-tokens-limit")).toBeNull();
  });
});

describe.each(forms)("$api, $form: a broken connection", ({ api, stream }) => {
  it.each<readonly [string, FakeReply]>([
    ["closed before the headers", { type: "cut", how: "close", at: "headers" }],
    ["reset before the headers", { type: "cut", how: "reset", at: "headers" }],
    ["answered in HTTP/2", { type: "http2_only" }],
  ])("%s is a connection error, and nobody left", async (_what, reply) => {
    await withProvider([reply], async (provider) => {
      const { url } = provider;
      await expect(hear[api]({ url, stream })).rejects.toThrow("Connection error.");
      await until(() => provider.counters().open === 0);
      expect(provider.counters()).toMatchObject({ requests: 1, abandoned: 0, completionTokens: 0 });
      // Refused is not accepted: only what was taken in is billed.
      expect(provider.counters().promptTokens).toBe(reply.type === "http2_only" ? 0 : 3);
    });
  });

  it.each(["close", "reset"] as const)("%s in the body fails the reading of it", async (how) => {
    await withProvider([{ type: "cut", how, at: "body", afterCharacters: 5 }], async (provider) => {
      await expect(hear[api]({ url: provider.url, stream })).rejects.toThrow(
        /terminated|Connection error/,
      );
      await until(() => provider.counters().open === 0);
      expect(provider.counters()).toMatchObject({ promptTokens: 3, abandoned: 0 });
    });
  });
});

describe("a connection that never comes to HTTP", () => {
  it("is reset at once, and the next one is served", async () => {
    await withProvider([], async (provider) => {
      const { url } = provider;
      provider.accept(["reset"]);
      const ask = (): Promise<Response> => fetchRaw(url, { api: "openai-chat", stream: true });
      await expect(ask()).rejects.toThrow("fetch failed");
      expect(provider.counters().requests).toBe(0);
      expect((await ask()).status).toBe(200);
    });
  });

  it("is accepted, and then nothing is read, answered or counted", async () => {
    await withProvider([], async (provider) => {
      const { url } = provider;
      provider.accept(["half_open"]);
      const port = Number(new URL(url).port);
      const asking = { api: "anthropic-messages", stream: true, pipelined: 1 } as const;
      const whole = { sends: Number.POSITIVE_INFINITY, reads: 1 };
      await askRudely(port, { ...asking, ...whole, leaves: "destroy" });
      // The control: whoever comes next is served.
      await askAfterwards(port);
      expect(provider.counters().requests).toBe(1);
      // The control's connection ends; nobody has read that the first caller has gone.
      await until(() => provider.connections() === 1);
    });
  });

  it("is refused in HTTP/1.1 when it begins in HTTP/2", async () => {
    await withProvider([], async (provider) => {
      const session = connect(new URL(provider.url).origin);
      const failure = new Promise((resolve) => session.once("error", resolve));
      session.request({ ":path": "/v1/responses", ":method": "POST" }).on("error", () => undefined);
      expect(await failure).toMatchObject({ code: "ERR_HTTP2_ERROR" });
      expect(provider.counters().requests).toBe(0);
      await until(() => provider.connections() === 0);
    });
  });
});
