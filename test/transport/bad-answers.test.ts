/** What a provider, a gateway or a typing error may do to a call: a code, what to change, and no parser that throws. */
import type { ServerResponse } from "node:http";

import { FormData as OtherFormData, Request as OtherRequest, fetch as undiciFetch } from "undici";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { certificate } from "./certificate.ts";
import { createDropIn, endAll, serve, serveTcp } from "./serve.ts";

afterEach(endAll);

const post = { method: "POST", body: "{}" };
const json = { "content-type": "application/json" };

describe("an address that is wrong", () => {
  it.each([
    ["api.example.com/v1", "invalid_url", "base URL"],
    ["", "invalid_url", "base URL"],
    ["http://api.example.com/v1", "insecure_url", "Use https"],
    ["http://name.invalid/", "insecure_url", "https"],
    ["https://name.invalid/", "host_not_found", "Check the base URL"],
  ])("%j is %s", async (url, code, words) => {
    const call = createDropIn()(url, post);
    await expect(call).rejects.toMatchObject({ code });
    await expect(call).rejects.toThrow(words);
  });

  it("with nobody there is connection_refused, and names host and port", async () => {
    const peer = await serve(() => undefined);
    const { url, port } = peer;
    await endAll();
    const call = createDropIn()(url, post);
    await expect(call).rejects.toMatchObject({
      code: "connection_refused",
      cause: { code: "ECONNREFUSED" },
    });
    await expect(call).rejects.toThrow(`127.0.0.1:${port}`);
  });

  it("with something there that speaks no HTTP is not_http", async () => {
    const peer = await serveTcp((socket) => {
      socket.resume();
      socket.write("SSH-2.0-OpenSSH_9.2\r\n");
    });
    await expect(createDropIn()(peer.url, post)).rejects.toMatchObject({ code: "not_http" });
    await until(() => peer.sockets.size === 0);
  });

  it("with http behind https is tls_failed", async () => {
    const peer = await serve((response) => response.end("{}"));
    const call = createDropIn()(peer.url.replace("http:", "https:"), post);
    await expect(call).rejects.toMatchObject({ code: "tls_failed" });
    await expect(call).rejects.toThrow("begin with https");
  });

  it.each([404, 405])(
    "with a path that no API has is wrong_address: a page with %i",
    async (status) => {
      const peer = await serve((response) =>
        response.writeHead(status, { "content-type": "text/html" }).end("<h1>Not here</h1>"),
      );
      const call = createDropIn()(peer.url, post);
      const bodyText = "<h1>Not here</h1>";
      await expect(call).rejects.toMatchObject({ code: "wrong_address", status, bodyText });
      await expect(call).rejects.toThrow("/v1");
    },
  );

  it("is not what a 404 of the API itself means: control, it passes as it came", async () => {
    const body = '{"error":{"code":"model_not_found"}}';
    const peer = await serve((response) => response.writeHead(404, json).end(body));
    const response = await createDropIn()(peer.url, post);
    expect([response.status, await response.text()]).toEqual([404, body]);
  });
});

describe("a certificate that nobody knows", () => {
  it("is tls_failed, and the request is not sent", async () => {
    const peer = await serve((response) => response.end("{}"), true);
    const call = createDropIn()(peer.url, post);
    await expect(call).rejects.toMatchObject({
      code: "tls_failed",
      cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    });
    await expect(call).rejects.toThrow("NODE_EXTRA_CA_CERTS");
    expect(peer.received).toEqual([]);
    // Control: who trusts it gets an answer.
    const response = await createDropIn({ ca: certificate })(peer.url, post);
    expect(await response.text()).toBe("{}");
  });

  it("for another name is tls_failed too", async () => {
    const peer = await serve((response) => response.end("{}"), true);
    const url = peer.url.replace("127.0.0.1", "127.0.0.2");
    await expect(createDropIn({ ca: certificate })(url, post)).rejects.toMatchObject({
      code: expect.stringMatching(/^(tls_failed|connection_refused)$/),
    });
    expect(peer.received).toEqual([]);
  });
});

describe("[B017] a success that is none", () => {
  it.each(["null", '""', "7", "true", "", "  \n "])(
    "%j as JSON is malformed_answer",
    async (body) => {
      const peer = await serve((response) => response.writeHead(200, json).end(body));
      await expect(createDropIn()(peer.url, post)).rejects.toMatchObject({
        code: "malformed_answer",
        status: 200,
        bodyText: body,
      });
    },
  );

  it.each(["{}", "[]", ' \n{"a":1}', '{"error":{"code":502}}'])(
    "%j as JSON passes as it came, in however many pieces: the control",
    async (body) => {
      const peer = await serve((response) => {
        response.writeHead(200, json);
        for (const letter of body) response.write(letter);
        response.end();
      });
      expect(await (await createDropIn()(peer.url, post)).text()).toBe(body);
    },
  );

  it("a page is unexpected_content_type, and names what came", async () => {
    const peer = await serve((response) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>Sign in"),
    );
    const call = createDropIn()(peer.url, post);
    await expect(call).rejects.toMatchObject({
      code: "unexpected_content_type",
      bodyText: "<html>Sign in",
    });
    await expect(call).rejects.toThrow("text/html");
  });

  it("a redirect is refused, whatever the caller says, and where it points hears nothing", async () => {
    const thief = await serve((response) => response.end("{}"));
    const peer = await serve((response) => response.writeHead(307, { location: thief.url }).end());
    for (const redirect of ["follow", "manual", "error"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await expect(createDropIn()(peer.url, { ...post, redirect })).rejects.toMatchObject({
        code: "redirect_refused",
        status: 307,
      });
    }
    expect(thief.accepted()).toBe(0);
  });

  it("a page whose start never comes is no wait without end", async () => {
    const peer = await serve((response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.flushHeaders();
    });
    const call = createDropIn({ anyByteMs: 50 })(peer.url, post);
    await expect(call).rejects.toMatchObject({ code: "any_byte_timeout" });
    await until(() => peer.sockets.size === 0);
  });
});

describe("headers of an answer", () => {
  it.each([
    ["retry-after", "1e309"],
    ["retry-after", "Fri, 31 Dec 99999 23:59:59 GMT"],
    ["retry-after", "9".repeat(400)],
    ["x-ratelimit-reset-tokens", "-1e400ms"],
    ["date", "Thu, 99 Foo 0000 99:99:99"],
    ["x-note", "\u00FF\u00E9 \u0080"],
    ["content-type", "\u00FF/;;;=,"],
  ])("[B005] %s: %s passes as it came, and so does the 429", async (name, value) => {
    const peer = await serveRaw(
      `HTTP/1.1 429 Slow\r\n${name}: ${value}\r\ncontent-length: 2\r\n\r\n{}`,
    );
    const response = await createDropIn()(peer.url, post);
    expect([response.status, response.headers.get(name)]).toEqual([429, value]);
    expect(await response.text()).toBe("{}");
  });

  it.each([
    [
      "two lengths",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
      "connection_lost",
    ],
    ["a status of letters", "HTTP/1.1 abc OK\r\n\r\n", "not_http"],
    ["a status beyond HTTP", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n", "invalid_status"],
    [
      "a chunk of no size",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      "not_http",
    ],
    [
      "a body that is too short",
      "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
      "connection_lost",
    ],
    ["an end within the headers", "HTTP/1.1 200 OK\r\nx: ", "connection_lost"],
  ])("with %s are a coded error", async (_words, bytes, code) => {
    const peer = await serveRaw(bytes, true);
    const read = async (): Promise<string> => (await createDropIn()(peer.url, post)).text();
    await expect(read()).rejects.toMatchObject({ code });
    await until(() => peer.sockets.size === 0);
  });
});

async function serveRaw(bytes: string, ends = false) {
  return serveTcp((socket) => {
    socket.once("data", () => {
      if (ends) socket.end(bytes, "latin1");
      else socket.write(bytes, "latin1");
    });
    socket.resume();
  });
}

describe("a request that cannot be written", () => {
  it.each([
    { authorization: "Bearer canary\nkey" },
    { authorization: "Bearer canary-\u2713" },
    { "no spaces": "canary" },
  ])("for its headers is invalid_request, without their values: %j", async (headers) => {
    const call = createDropIn()("http://127.0.0.1:1/", { ...post, headers });
    await expect(call).rejects.toMatchObject({ code: "invalid_request" });
    await expect(call).rejects.not.toThrow("canary");
  });

  it("for its method is invalid_request", async () => {
    const peer = await serve((response) => response.end("{}"));
    const call = createDropIn()(peer.url, { method: "BAD METHOD" });
    await expect(call).rejects.toMatchObject({ code: "invalid_request" });
    expect(peer.received).toEqual([]);
  });

  it("for a form of another make is invalid_request, and no [object FormData] is sent", async () => {
    // Safe: what a caller without types does.
    const body = new OtherFormData() as unknown as FormData;
    const call = createDropIn()("http://127.0.0.1:1/", { method: "POST", body });
    await expect(call).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("what undici's own fetch makes of an ordinary answer, ours makes as well", () => {
  const answers: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ["JSON", (response) => response.writeHead(200, json).end('{"a":1}')],
    ["text", (response) => response.writeHead(200, { "content-type": "text/plain" }).end("x")],
    ["nothing", (response) => response.writeHead(204).end()],
    ["an error", (response) => response.writeHead(500, json).end('{"error":1}')],
    ["cookies", (response) => response.writeHead(200, { "set-cookie": ["a=1", "b=2"] }).end("x")],
    [
      "a stream",
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n");
        response.end("data: 2\n\n");
      },
    ],
  ];

  it.each(answers)("%s", async (_words, answer) => {
    const peer = await serve(answer);
    const read = async (response: Pick<Response, "status" | "url" | "headers" | "text">) => ({
      status: response.status,
      url: response.url,
      headers: [...response.headers].filter(([name]) => name !== "date"),
      text: await response.text(),
    });
    const theirs = await read(await undiciFetch(peer.url, post));
    expect(await read(await createDropIn()(peer.url, post))).toEqual(theirs);
  });

  const bodies: readonly (readonly [string, () => RequestInit])[] = [
    ["text", () => ({ body: "text" })],
    ["bytes", () => ({ body: new Uint8Array([1, 2, 3]) })],
    ["a buffer", () => ({ body: new Uint8Array([1, 2]).buffer })],
    ["parameters", () => ({ body: new URLSearchParams({ a: "1" }) })],
    ["a blob", () => ({ body: new Blob(["b"], { type: "text/css" }) })],
    ["nothing", () => ({})],
    ["headers of its own", () => ({ body: "{}", headers: new Headers({ "X-Key": "k" }) })],
    ["headers as a list", () => ({ body: "{}", headers: [["x-key", "k"]] })],
  ];

  it.each(bodies)("for a request with %s the server sees the same", async (_words, init) => {
    const peer = await serve((response) => response.end("{}"));
    await (await createDropIn()(peer.url, { method: "POST", ...init() })).text();
    await (await fetch(peer.url, { method: "POST", ...init() })).text();
    const [ours, theirs] = peer.received.map((headers) => [
      headers["content-type"],
      headers["x-key"],
    ]);
    expect(ours).toEqual(theirs);
    expect(Number(peer.received[0]?.["content-length"] ?? 0)).toBe(
      Number(peer.received[1]?.["content-length"] ?? 0),
    );
  });

  it("headers of the connection are ours, whatever the caller sets", async () => {
    const peer = await serve((response) => response.end("{}"));
    const headers = {
      connection: "close",
      "content-length": "999",
      host: "elsewhere.example",
      "keep-alive": "timeout=1",
      "transfer-encoding": "chunked",
      te: "trailers",
    };
    await (await createDropIn()(peer.url, { ...post, headers })).text();
    expect(peer.received[0]).toMatchObject({
      connection: "keep-alive",
      "content-length": "2",
      host: `127.0.0.1:${peer.port}`,
    });
    expect(peer.received[0]).not.toHaveProperty("transfer-encoding");
    expect(peer.received[0]).not.toHaveProperty("te");
  });

  it("takes a Request, of the platform or of another package, and what is given beside it wins", async () => {
    const peer = await serve((response) => response.end("{}"));
    const init = { method: "PUT", body: "abc", headers: { "x-key": "k" } };
    // Safe: the same interface from another package.
    const other = new OtherRequest(peer.url, init) as unknown as Request;
    for (const request of [new Request(peer.url, init), other]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await (await createDropIn()(request, { headers: { "x-key": "other" } })).text();
    }
    for (const headers of peer.received) {
      expect([headers["x-key"], headers["content-length"]]).toEqual(["other", "3"]);
    }
    expect(peer.received).toHaveLength(2);
  });
});
