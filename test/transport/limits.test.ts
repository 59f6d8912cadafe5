/** Each limit, by the code that a caller gets and by what the other side sees of it. */
import dns from "node:dns";
import type { LookupOptions } from "node:dns";

import { afterEach, describe, expect, it, vi } from "vitest";

import { startToxicProxy } from "../support/toxic-proxy.ts";
import { until } from "../support/until.ts";
import { createDropIn, createTestFetch, endAll, quietly, serve, serveTcp } from "./serve.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await endAll();
});

const post = { method: "POST", body: "{}" };

describe("a limit of time ends the call, closes its connection, and names its option and variable", () => {
  it("[L16] connect: TCP is there, TLS is not", async () => {
    const peer = await serveTcp((socket) => socket.resume(), "https");
    const call = createDropIn({ connectMs: 50 })(peer.url, post);
    await expect(call).rejects.toMatchObject({
      code: "connect_timeout",
      cause: { code: "UND_ERR_CONNECT_TIMEOUT" },
    });
    await expect(call).rejects.toThrow("connectMs or BRIDLE_LLM_CONNECT_MS");
    await until(() => peer.sockets.size === 0);
  });

  it("pool: all connections are in use", async () => {
    const peer = await serve(() => undefined);
    const fetch = createDropIn({ connectionsPerOrigin: 1, poolWaitMs: 50 });
    const first = quietly(fetch(peer.url, post));
    await until(() => peer.received.length === 1);
    const call = fetch(peer.url, post);
    await expect(call).rejects.toMatchObject({ code: "no_free_connection" });
    await expect(call).rejects.toThrow("connectionsPerOrigin");
    expect([peer.accepted(), peer.received.length]).toEqual([1, 1]);
    await fetch.close();
    await expect(first).rejects.toMatchObject({ code: "interrupted" });
  });

  it("write: the other side takes no more", async () => {
    const peer = await serveTcp(() => undefined);
    const body = "x".repeat(32 * 1024 * 1024);
    const call = createDropIn({ writeMs: 50 })(peer.url, { method: "POST", body });
    await expect(call).rejects.toMatchObject({ code: "write_timeout" });
    for (const socket of peer.sockets) socket.resume();
    await until(() => peer.sockets.size === 0);
  });

  it("write: control, a peer that takes it slowly takes longer than the limit and gets all", async () => {
    let taken = 0;
    const size = 8 * 1024 * 1024;
    const peer = await serveTcp((socket) => {
      socket.on("data", (piece) => {
        taken += piece.length;
        if (taken >= size) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}");
        socket.pause();
        // Real time: the peer's own pace.
        setTimeout(() => socket.resume(), 5);
      });
      socket.resume();
    });
    const fetch = createDropIn({ writeMs: 500 });
    const startMs = performance.now();
    const response = await fetch(peer.url, { method: "POST", body: "x".repeat(size) });
    expect(await response.text()).toBe("{}");
    // Else the limit would not have been in play.
    expect(performance.now() - startMs).toBeGreaterThan(500);
  });

  it("[L16] first byte: it has the request and says nothing", async () => {
    const peer = await serve(() => undefined);
    const call = createDropIn({ firstByteMs: 50 })(peer.url, post);
    await expect(call).rejects.toMatchObject({ code: "first_byte_timeout" });
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it("[L16] first byte: headers that come letter by letter are none yet", async () => {
    const peer = await serveTcp((socket) => {
      socket.resume();
      // Real time: the peer's own pace.
      const drip = setInterval(() => socket.write("HTTP/1.1 200 OK\r\nx: yyyyyyyyyyy"), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const call = createDropIn({ firstByteMs: 60 })(peer.url, post);
    await expect(call).rejects.toMatchObject({ code: "first_byte_timeout" });
    await until(() => peer.sockets.size === 0);
  });

  it("[L16][B022] any byte: half of a body, then silence", async () => {
    const peer = await serve((response) => response.write('{"half":'));
    const response = await createDropIn({ anyByteMs: 50 })(peer.url, post);
    await expect(response.text()).rejects.toMatchObject({
      code: "any_byte_timeout",
      cause: { code: "UND_ERR_BODY_TIMEOUT" },
    });
    await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
  });

  it("[L16] any byte: half open, so that the other side cannot even say that it is gone", async () => {
    const peer = await serve((response) => response.write('{"half":'));
    const proxy = await startToxicProxy(peer.port);
    const fetch = createDropIn({ anyByteMs: 50 });
    const response = await fetch(`http://127.0.0.1:${proxy.port}/`, post);
    proxy.vanish();
    await expect(response.text()).rejects.toMatchObject({ code: "any_byte_timeout" });
    await proxy.close();
  });

  it.each([": ping\n\n", "event: ping\ndata: {}\n\n", "\n"])(
    "[L16] stall: a flood of %j keeps a stream open and brings nothing",
    async (ping) => {
      const peer = await serve((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n");
        // Real time: the peer's own pace.
        const flood = setInterval(() => response.write(ping), 5);
        response.on("close", () => clearInterval(flood));
      });
      const fetch = createDropIn({ stallMs: 60, anyByteMs: 30_000 });
      const response = await fetch(peer.url, { method: "POST", body: '{"stream":true}' });
      await expect(response.text()).rejects.toMatchObject({ code: "stall_timeout" });
      await until(() => peer.closedEarly() === 1 && peer.sockets.size === 0);
    },
  );

  it("[L16] stall: control, data among the pings lets the stream live to its end", async () => {
    const peer = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      // Real time: the peer's own pace.
      const both = setInterval(() => {
        response.write(": ping\n\ndata: 1\n\n");
        sent += 1;
        if (sent === 60) response.end();
      }, 10);
      response.on("close", () => clearInterval(both));
    });
    const fetch = createDropIn({ stallMs: 500 });
    const startMs = performance.now();
    const response = await fetch(peer.url, { method: "POST", body: '{"stream":true}' });
    expect((await response.text()).match(/data/g)).toHaveLength(60);
    expect(performance.now() - startMs).toBeGreaterThan(500);
  });

  it("[L16] total: bytes that keep coming do not save a call that has one", async () => {
    const peer = await serve((response) => {
      // Real time: the peer's own pace.
      const flow = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(flow));
    });
    const fetch = createDropIn({ totalMs: 80 });
    // On a busy machine the limit may come before the headers.
    const read = async (): Promise<string> => (await fetch(peer.url, post)).text();
    await expect(read()).rejects.toMatchObject({ code: "total_timeout" });
    await until(() => peer.sockets.size === 0);
  });

  it("does not count the reader's time: who pauses longer than the limit reads on", async () => {
    const peer = await serve((response) => {
      response.write("first");
      response.end("second");
    });
    const fetch = createDropIn({ anyByteMs: 200, firstByteMs: 10_000 });
    const reader = (await fetch(peer.url, post)).body?.getReader();
    let text = "";
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      text += new TextDecoder().decode(piece.value);
      // oxlint-disable-next-line no-await-in-loop -- the pause is what is tested
      // Real time: the reader's own pause.
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(text).toBe("firstsecond");
  });

  it("gives the origin's next call a new connection", async () => {
    let isSilent = true;
    const peer = await serve((response) => void (isSilent || response.end("{}")));
    const fetch = createDropIn({ firstByteMs: 1000 });
    await expect(fetch(peer.url, post)).rejects.toMatchObject({ code: "first_byte_timeout" });
    isSilent = false;
    expect(await (await fetch(peer.url, post)).text()).toBe("{}");
    expect(peer.accepted()).toBe(2);
  });
});

describe("a limit of size", () => {
  it("[B013] of the request: it is not sent, whatever its body is made of", async () => {
    const peer = await serve((response) => response.end("{}"));
    const fetch = createDropIn({ maxRequestBytes: 100 });
    const bodies = ["x".repeat(101), new Uint8Array(101), new Blob(["x".repeat(101)])];
    for (const body of [
      ...bodies,
      new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(60)) }),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(fetch(peer.url, { method: "POST", body })).rejects.toMatchObject({
        code: "request_too_large",
      });
    }
    expect(peer.accepted()).toBe(0);
    // Control: one byte less is sent.
    await (await fetch(peer.url, { method: "POST", body: "x".repeat(100) })).text();
    expect(peer.received[0]?.["content-length"]).toBe("100");
  });

  it("of the answer, a success or an error, counted as it comes", async () => {
    const peer = await serve((response) => {
      response.writeHead(peer.received.length === 1 ? 200 : 500);
      response.write("x".repeat(1001));
    });
    const fetch = createDropIn({ maxResponseBytes: 1000, maxErrorBytes: 500 });
    for (const words of ["1000 bytes", "500 bytes"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await fetch(peer.url, post);
      const read = response.text();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(read).rejects.toMatchObject({ code: "response_too_large" });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(read).rejects.toThrow(words);
    }
    await until(() => peer.sockets.size === 0);
  });

  it("of its headers", async () => {
    const peer = await serve((response) =>
      response.writeHead(200, { "x-long": "y".repeat(2000) }).end("{}"),
    );
    const call = createDropIn({ maxHeaderBytes: 1000 })(peer.url, post);
    await expect(call).rejects.toMatchObject({ code: "headers_too_large" });
    await until(() => peer.sockets.size === 0);
    // Control: the same headers under the default.
    expect(await (await createDropIn()(peer.url, post)).text()).toBe("{}");
  });

  it.each(["gzip", "br", "deflate", "zstd", "GZIP, gzip"])(
    "is not undone by unpacking: an answer in %s is refused unread",
    async (encoding) => {
      const peer = await serve((response) => {
        response.writeHead(200, { "content-encoding": encoding });
        response.write("a few bytes that may become gigabytes");
      });
      const call = createDropIn()(peer.url, post);
      await expect(call).rejects.toMatchObject({ code: "encoded_answer", status: 200 });
      await expect(createTestFetch()(peer.url, { ...post, headers: {} })).rejects.toMatchObject({
        code: "encoded_answer",
      });
      expect(peer.received[0]?.["accept-encoding"]).toBe("identity");
      await until(() => peer.sockets.size === 0);
    },
  );
});

describe("connections", () => {
  it("are never more than connectionsPerOrigin, and who waited is served in turn", async () => {
    const waiting: (() => void)[] = [];
    const peer = await serve((response) => waiting.push(() => response.end("{}")));
    const fetch = createDropIn({ connectionsPerOrigin: 2 });
    const calls = Array.from({ length: 6 }, async () => (await fetch(peer.url, post)).text());
    for (let answered = 0; answered < 6; answered += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await until(() => waiting.length > answered);
      expect(peer.sockets.size).toBeLessThanOrEqual(2);
      waiting[answered]?.();
    }
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 6 }, () => "{}"));
    expect(peer.accepted()).toBe(2);
  });

  it("[L17] whose peer has ended while they were idle are not used again", async () => {
    const peer = await serve((response) => response.end("{}"));
    const fetch = createDropIn();
    await (await fetch(peer.url, post)).text();
    for (const socket of peer.sockets) socket.destroy();
    await until(() => peer.sockets.size === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await (await fetch(peer.url, post)).text()).toBe("{}");
    expect([peer.accepted(), peer.received.length]).toEqual([2, 2]);
  });

  describe("to a name with an address of each family, of which only IPv4 answers", () => {
    const both = [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    type Answer = (error: null, address: unknown, family?: number) => void;

    function nameHasBoth() {
      // Safe: the signature that net calls.
      const lookup = (_host: string, options: LookupOptions, done: Answer): void => {
        const found = both.filter(({ family }) => !options.family || family === options.family);
        if (options.all === true) done(null, found);
        else done(null, found[0]?.address, found[0]?.family);
      };
      return vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
    }

    it("[L17] find the one that answers", async () => {
      const peer = await serve((response) => response.end("{}"));
      nameHasBoth();
      const call = createDropIn()(`http://localhost:${peer.port}/v1`, post);
      expect(await (await call).text()).toBe("{}");
    });

    it("ask for IPv4 alone with forceIpv4", async () => {
      const peer = await serve((response) => response.end("{}"));
      const lookup = nameHasBoth();
      const url = `http://localhost:${peer.port}/v1`;
      expect(await (await createDropIn({ forceIpv4: true })(url, post)).text()).toBe("{}");
      expect(lookup.mock.calls.map(([, options]) => options)).toMatchObject([{ family: 4 }]);
    });
  });

  it("[L17] speak HTTP/1.1, over TLS as well", async () => {
    const { certificate } = await import("./certificate.ts");
    const seen: (string | undefined)[] = [];
    const peer = await serve((response) => {
      seen.push(response.req.httpVersion);
      response.end("{}");
    }, true);
    await (await createDropIn({ ca: certificate })(peer.url, post)).text();
    expect(seen).toEqual(["1.1"]);
  });
});
