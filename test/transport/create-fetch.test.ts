import { readFile } from "node:fs/promises";

import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { createTestFetch, endAll, serve } from "./serve.ts";

afterEach(endAll);

const post = { method: "POST", headers: { authorization: "Bearer canary-key" }, body: "{}" };

describe("T2: redirects", () => {
  it.each([301, 302, 303, 307, 308])(
    "[B193] a %i to another port is an error and the key never gets there",
    async (status) => {
      const thief = await serve((response) => response.end("got it"));
      const provider = await serve((response) =>
        response.writeHead(status, { location: `${thief.url}/steal?token=x` }).end(),
      );
      const call = createTestFetch()(provider.url, post);
      await expect(call).rejects.toMatchObject({ code: "redirect_refused", status });
      await expect(call).rejects.toThrow(new URL(thief.url).host);
      await expect(call).rejects.not.toThrow("token=x");
      expect(thief.received).toEqual([]);
      expect(provider.received).toHaveLength(1);
    },
  );

  it("[B193] control: the server it points to would have seen a request", async () => {
    const thief = await serve((response) => response.end("got it"));
    await (await createTestFetch()(thief.url, post)).text();
    expect(thief.received[0]?.authorization).toBe("Bearer canary-key");
  });
});

describe("T3: every way out closes the connection", () => {
  it("an abort before the headers", async () => {
    const server = await serve(() => undefined);
    const controller = new AbortController();
    const reason = new Error("stopped");
    const call = createTestFetch()(server.url, { ...post, signal: controller.signal });
    call.catch(() => undefined);
    await until(() => server.received.length === 1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await until(() => server.closedEarly() === 1);
  });

  it("an abort in the middle of the body", async () => {
    const server = await serve((response) => response.write("first"));
    const controller = new AbortController();
    const reason = new Error("stopped");
    const response = await createTestFetch()(server.url, { ...post, signal: controller.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    const next = reader?.read();
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
    await until(() => server.closedEarly() === 1);
  });

  it("a cancelled reader", async () => {
    const server = await serve((response) => response.write("first"));
    const reader = (await createTestFetch()(server.url, post)).body?.getReader();
    await reader?.read();
    expect(server.closedEarly()).toBe(0);
    await reader?.cancel();
    await until(() => server.closedEarly() === 1);
  });

  it("a body beyond the cap", async () => {
    const server = await serve((response) => response.write("x".repeat(2000)));
    const response = await createTestFetch({ maxResponseBytes: 1000 })(server.url, post);
    await expect(response.text()).rejects.toMatchObject({ code: "response_too_large" });
    await until(() => server.closedEarly() === 1);
  });

  it("an abort that came before the call, which sends nothing", async () => {
    const server = await serve((response) => response.end());
    const call = createTestFetch()(server.url, { ...post, signal: AbortSignal.abort() });
    await expect(call).rejects.toThrow("aborted");
    expect(server.received).toEqual([]);
  });
});

describe("answers", () => {
  it("come through with status, headers and body, whether success or error", async () => {
    const server = await serve((response) =>
      response.writeHead(429, { "retry-after": "7", "set-cookie": ["a=1", "b=2"] }).end("slow"),
    );
    const response = await createTestFetch()(server.url, { ...post, expect: "event-stream" });
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      429,
      "7",
      "slow",
    ]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it.each(["text/html; charset=utf-8", "application/json"])(
    "[B017] %s where a stream was asked for is refused, with the start of what it said",
    async (type) => {
      const server = await serve((response) =>
        response.writeHead(200, { "content-type": type }).end("<html>Sign in</html>"),
      );
      const call = createTestFetch()(server.url, { ...post, expect: "event-stream" });
      await expect(call).rejects.toMatchObject({
        code: "unexpected_content_type",
        status: 200,
        bodyText: "<html>Sign in</html>",
      });
      await expect(call).rejects.toThrow(type);
    },
  );

  it("a stream where a stream was asked for, and anything where nothing was", async () => {
    const server = await serve((response) =>
      response.writeHead(200, { "content-type": "Text/Event-Stream" }).end("data: 1\n\n"),
    );
    const fetch = createTestFetch();
    const streamed = await fetch(server.url, { ...post, expect: "event-stream" });
    expect(await streamed.text()).toBe("data: 1\n\n");
    expect(await (await fetch(server.url, post)).text()).toBe("data: 1\n\n");
  });

  it("with status 204 have no body and free their connection", async () => {
    const server = await serve((response) => response.writeHead(204).end());
    expect((await createTestFetch()(server.url, post)).body).toBeNull();
  });

  it("are told of byte by byte, comments too, and once when the headers come", async () => {
    const server = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": ping\n\n");
      response.end();
    });
    const seen: number[] = [];
    const onBytes = (count: number): void => void seen.push(count);
    const response = await createTestFetch()(server.url, { ...post, onBytes });
    expect(seen).toEqual([0]);
    await response.text();
    expect(seen).toEqual([0, 8]);
  });
});

describe("connections", () => {
  it("[L17] are used again", async () => {
    const server = await serve((response) => response.end("x"));
    const fetch = createTestFetch();
    await (await fetch(server.url, post)).text();
    // The connection counts as free one turn after its answer was read.
    await new Promise((resolve) => setImmediate(resolve));
    await (await fetch(server.url, post)).text();
    expect([server.received.length, server.sockets.size]).toEqual([2, 1]);
  });

  it("[BR-16] are enough for 64 calls in flight at once", async () => {
    const server = await serve(() => undefined);
    const fetch = createTestFetch();
    const calls = Array.from({ length: 64 }, () => fetch(server.url, post).catch(() => "ended"));
    await until(() => server.received.length === 64);
    await fetch.close();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["ended"]));
  });

  it("T6: are all gone after close, also those in the middle of an answer, and none is opened", async () => {
    const server = await serve((response) => response.write("first"));
    const fetch = createTestFetch();
    const response = await fetch(server.url, post);
    expect(server.sockets.size).toBe(1);
    await fetch.close();
    await fetch.close();
    await until(() => server.sockets.size === 0);
    await expect(response.text()).rejects.toMatchObject({ code: "interrupted" });
    await expect(fetch(server.url, post)).rejects.toMatchObject({ code: "closed" });
  });

  it("T6: are all gone after close, also those that wait for their next call", async () => {
    const server = await serve((response) => response.end("x"));
    const fetch = createTestFetch();
    await (await fetch(server.url, post)).text();
    expect(server.sockets.size).toBe(1);
    await fetch.close();
    await until(() => server.sockets.size === 0);
  });

  // Skipped: where the kernel does not show a socket's timers.
  it.skipIf(process.platform !== "linux")("[L17] are probed by TCP keepalive", async () => {
    const server = await serve(() => undefined);
    const call = createTestFetch()(server.url, post).catch(() => undefined);
    await until(() => server.received.length === 1);
    const remote = Number(new URL(server.url).port).toString(16).toUpperCase().padStart(4, "0");
    /** Column `tr` of the client's row: 02 means that the keepalive timer runs. */
    const timers = async (): Promise<string[]> =>
      (await readFile("/proc/net/tcp", "utf8"))
        .split("\n")
        .map((line) => line.trim().split(/\s+/))
        .filter((columns) => columns[2]?.endsWith(`:${remote}`) && columns[3] === "01")
        .map((columns) => columns[5]?.slice(0, 2) ?? "");
    await until(async () => (await timers())[0] !== "01");
    expect(await timers()).toEqual(["02"]);
    await endAll();
    await call;
  });
});
