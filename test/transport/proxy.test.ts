/** Calls through a proxy, over real sockets: what the proxy sees, and what happens where it says no. */
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import type { FetchOptions } from "@bridle/transport";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { certificate } from "./certificate.ts";
import { createDropIn, createTestFetch, endAll, quietly, serve } from "./serve.ts";

const proxies: Proxy[] = [];
afterEach(async () => {
  await endAll();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

interface Proxy {
  readonly address: string;
  /** Targets and logins of the tunnels that were asked for. */
  readonly asked: (readonly [target: string | undefined, login: string | undefined])[];
  readonly tunnels: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** Opens each tunnel to this machine's port, whatever host was meant; or answers with `status`. */
async function startProxy(port: number, status = 200): Promise<Proxy> {
  const asked: Proxy["asked"] = [];
  const tunnels = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(500).end("no tunnel"));
  server.on("connect", (request, near: Socket) => {
    asked.push([request.url, request.headers["proxy-authorization"]]);
    tunnels.add(near);
    near.on("error", () => undefined);
    near.on("close", () => tunnels.delete(near));
    if (status !== 200) {
      near.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const far = connect(port, "127.0.0.1", () => {
      near.write("HTTP/1.1 200 OK\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // Safe: a TCP server has an AddressInfo.
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    for (const socket of tunnels) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const proxy = { address, asked, tunnels, close };
  proxies.push(proxy);
  return proxy;
}

const target = "https://provider.test/v1/chat";
const post = { method: "POST", body: "{}", headers: { authorization: "Bearer canary-key" } };

async function send(options: FetchOptions): Promise<Response> {
  return createDropIn({ ca: certificate, ...options })(target, post);
}

describe("a proxy", () => {
  const named = (address: string): FetchOptions => ({ proxy: address });
  const ofEnvironment = (address: string): FetchOptions => ({
    environment: { HTTPS_PROXY: address },
  });
  const ofOurs = (address: string): FetchOptions => ({
    environment: { BRIDLE_LLM_PROXY: address },
  });

  it.each([
    ["that is named", named],
    ["of HTTPS_PROXY", ofEnvironment],
    ["of BRIDLE_LLM_PROXY", ofOurs],
  ])("%s carries the call, and sees a host and a port and no key", async (_words, options) => {
    const provider = await serve((response) => response.end("{}"), true);
    const proxy = await startProxy(provider.port);
    expect(await (await send(options(proxy.address))).text()).toBe("{}");
    expect(proxy.asked).toEqual([["provider.test:443", undefined]]);
    expect(provider.received[0]).toMatchObject({
      authorization: "Bearer canary-key",
      host: "provider.test",
    });
    expect(provider.received[0]).not.toHaveProperty("proxy-authorization");
  });

  it("gets the login of its address, and the provider does not", async () => {
    const provider = await serve((response) => response.end("{}"), true);
    const proxy = await startProxy(provider.port);
    await (await send({ proxy: proxy.address.replace("//", "//me:p%40ss@") })).text();
    expect(proxy.asked[0]?.[1]).toBe(`Basic ${Buffer.from("me:p@ss").toString("base64")}`);
    expect(provider.received[0]).not.toHaveProperty("proxy-authorization");
  });

  it("carries the next call over the same tunnel", async () => {
    const provider = await serve((response) => response.end("{}"), true);
    const proxy = await startProxy(provider.port);
    const fetch = createDropIn({ ca: certificate, proxy: proxy.address });
    for (let call = 0; call < 2; call += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await (await fetch(target, post)).text();
    }
    expect([provider.received.length, proxy.asked.length]).toEqual([2, 1]);
  });

  it("is another one per provider", async () => {
    const provider = await serve((response) => response.end("{}"), true);
    const [one, other] = [await startProxy(provider.port), await startProxy(provider.port)];
    await (await send({ proxy: one.address })).text();
    await (await send({ proxy: other.address })).text();
    expect([one.asked.length, other.asked.length]).toEqual([1, 1]);
  });

  it("carries calls of the fetch behind the call layer as well", async () => {
    const provider = await serve((response) => response.end("{}"), true);
    const proxy = await startProxy(provider.port);
    const fetch = createTestFetch({ ca: certificate, proxy: proxy.address });
    expect(await (await fetch(target, post)).text()).toBe("{}");
    expect(proxy.asked).toHaveLength(1);
  });

  it("of the environment is not asked where NO_PROXY excepts the host, nor for loopback", async () => {
    const provider = await serve((response) => response.end("{}"));
    const proxy = await startProxy(provider.port);
    const environment = { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address };
    await (await createDropIn({ environment })(provider.url, post)).text();
    // There is no such host, so going there directly fails.
    const excepted = send({ environment: { ...environment, NO_PROXY: "provider.test" } });
    await expect(excepted).rejects.toMatchObject({ code: "host_not_found" });
    expect(proxy.asked).toEqual([]);
  });

  it.each([403, 407, 502])(
    "that answers %i is proxy_failed, and nothing is sent",
    async (status) => {
      const provider = await serve((response) => response.end("{}"), true);
      const proxy = await startProxy(provider.port, status);
      const call = send({ proxy: proxy.address.replace("//", "//me:secret@") });
      await expect(call).rejects.toMatchObject({ code: "proxy_failed" });
      await expect(call).rejects.toThrow(`answered ${status}`);
      await expect(call).rejects.not.toThrow("secret");
      expect(provider.accepted()).toBe(0);
      await until(() => proxy.tunnels.size === 0);
    },
  );

  it("that is not there is proxy_failed, and names it", async () => {
    const proxy = await startProxy(1);
    await proxy.close();
    const call = send({ proxy: proxy.address });
    await expect(call).rejects.toMatchObject({
      code: "proxy_failed",
      cause: { code: "ECONNREFUSED" },
    });
    await expect(call).rejects.toThrow(new URL(proxy.address).host);
  });

  it("that shows a certificate of its own is tls_failed: nobody reads along", async () => {
    const provider = await serve((response) => response.end("{}"), true);
    const proxy = await startProxy(provider.port);
    const call = createDropIn({ proxy: proxy.address })(target, post);
    await expect(call).rejects.toMatchObject({ code: "tls_failed" });
    expect(provider.received).toEqual([]);
    await until(() => proxy.tunnels.size === 0);
  });

  it("T3: loses its tunnel when the call is aborted, and so does the provider", async () => {
    const provider = await serve(() => undefined, true);
    const proxy = await startProxy(provider.port);
    const controller = new AbortController();
    const fetch = createDropIn({ ca: certificate, proxy: proxy.address });
    const call = quietly(fetch(target, { ...post, signal: controller.signal }));
    await until(() => provider.received.length === 1);
    controller.abort(new Error("stopped"));
    await expect(call).rejects.toThrow("stopped");
    await until(() => proxy.tunnels.size === 0 && provider.sockets.size === 0);
  });
});
