/** Whatever a call is at when it is given up, the other side sees its connection end. It is always the other side that counts. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import type { FetchOptions } from "@bridle/transport";
import { afterEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";
import { createDropIn, createTestFetch, endAll, quietly, serve, serveTcp } from "./serve.ts";
import type { Peer } from "./serve.ts";

afterEach(endAll);

type Send = (url: string, signal?: AbortSignal, body?: string) => Promise<Response>;

const ways: readonly (readonly [string, (options?: FetchOptions) => Send])[] = [
  [
    "the fetch behind the call layer",
    (options) => {
      const fetch = createTestFetch({ ca: undefined, ...options });
      return (url, signal, body = "{}") =>
        fetch(url, { method: "POST", headers: {}, body, signal });
    },
  ],
  [
    "the drop-in fetch",
    (options) => {
      const fetch = createDropIn(options);
      return (url, signal, body = "{}") =>
        fetch(url, { method: "POST", body, ...(signal && { signal }) });
    },
  ],
];

const reason = new Error("stopped");

async function expectGone(call: Promise<unknown>, peer: Peer): Promise<void> {
  await expect(call).rejects.toBe(reason);
  await until(() => peer.sockets.size === 0);
}

describe.each(ways)("T3: an abort of %s closes what is open upstream", (_name, create) => {
  it("before anything was sent, and nothing is", async () => {
    const peer = await serve((response) => response.end("{}"));
    await expect(create()(peer.url, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(peer.accepted()).toBe(0);
  });

  it("while it waits in line, without touching the call before it", async () => {
    const peer = await serve(() => undefined);
    const send = create({ connectionsPerOrigin: 1 });
    const first = quietly(send(peer.url));
    await until(() => peer.received.length === 1);
    const controller = new AbortController();
    const second = quietly(send(peer.url, controller.signal));
    // The one before it has the only connection.
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(reason);
    await expect(second).rejects.toBe(reason);
    expect([peer.received.length, peer.sockets.size]).toEqual([1, 1]);
    await endAll();
    await expect(first).rejects.toMatchObject({ code: "interrupted" });
  });

  it("while it waits in line, and takes no connection when its turn comes", async () => {
    const answers: (() => void)[] = [];
    const peer = await serve((response) => answers.push(() => response.end("{}")));
    const send = create({ connectionsPerOrigin: 1 });
    const first = send(peer.url);
    await until(() => answers.length === 1);
    await expect(send(peer.url, AbortSignal.timeout(1))).rejects.toThrow("timeout");
    answers[0]?.();
    await (await first).text();
    const third = send(peer.url);
    await until(() => answers.length === 2);
    answers[1]?.();
    expect(await (await third).text()).toBe("{}");
  });

  it("while it connects: TCP is there, TLS is not", async () => {
    const peer = await serveTcp(() => undefined, "https");
    const controller = new AbortController();
    const call = quietly(create()(peer.url, controller.signal));
    await until(() => peer.sockets.size === 1);
    // Only what reads sees the other side end.
    for (const socket of peer.sockets) socket.resume();
    controller.abort(reason);
    await expectGone(call, peer);
  });

  it("while it connects: the proxy has not opened the tunnel", async () => {
    const peer = await serveTcp((socket) => socket.resume());
    const controller = new AbortController();
    const send = create({ proxy: `http://127.0.0.1:${peer.port}` });
    const call = quietly(send("https://provider.test/v1", controller.signal));
    await until(() => peer.sockets.size === 1);
    controller.abort(reason);
    await expectGone(call, peer);
  });

  it("while it writes: the other side takes nothing more", async () => {
    const peer = await serveTcp(() => undefined);
    const controller = new AbortController();
    const call = quietly(create()(peer.url, controller.signal, "x".repeat(32 * 1024 * 1024)));
    await until(() => peer.sockets.size === 1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    for (const socket of peer.sockets) socket.resume();
    await until(() => peer.sockets.size === 0);
  });

  it("before the headers", async () => {
    const peer = await serve(() => undefined);
    const controller = new AbortController();
    const call = quietly(create()(peer.url, controller.signal));
    await until(() => peer.received.length === 1);
    controller.abort(reason);
    await expectGone(call, peer);
  });

  it("in the middle of the body, while more is awaited", async () => {
    const peer = await serve((response) => response.write("first"));
    const controller = new AbortController();
    const reader = (await create()(peer.url, controller.signal)).body?.getReader();
    await reader?.read();
    const next = quietly(reader?.read() ?? Promise.reject(new Error("There is no body.")));
    controller.abort(reason);
    await expectGone(next, peer);
  });

  it("while the reader pauses and the peer cannot go on for that", async () => {
    let isBlocked = false;
    const peer = await serve((response) => {
      const fill = (): void => {
        while (response.write("x".repeat(65_536)));
        isBlocked = true;
        response.once("drain", fill);
      };
      fill();
    });
    const controller = new AbortController();
    const response = await create()(peer.url, controller.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    await until(() => isBlocked);
    expect(peer.sockets.size).toBe(1);
    controller.abort(reason);
    await until(() => peer.sockets.size === 0);
    await expect(reader?.read()).rejects.toBe(reason);
  });

  it("when the answer has come whole and nobody has read it yet", async () => {
    const peer = await serve((response) => response.end("x".repeat(1000)));
    const controller = new AbortController();
    const response = await create()(peer.url, controller.signal);
    controller.abort(reason);
    await expectGone(response.text(), peer);
  });
});

describe.each(ways)(
  "T3: a consumer of %s that stops closes what is open upstream",
  (_name, create) => {
    it("by cancelling", async () => {
      const peer = await serve((response) => response.write("first"));
      const reader = (await create()(peer.url)).body?.getReader();
      await reader?.read();
      expect(peer.sockets.size).toBe(1);
      await reader?.cancel();
      await until(() => peer.sockets.size === 0);
    });

    it("by leaving its loop", async () => {
      const peer = await serve((response) => response.write("first"));
      const { body } = await create()(peer.url);
      for await (const piece of body ?? []) {
        expect(piece.byteLength).toBe(5);
        break;
      }
      await until(() => peer.sockets.size === 0);
    });

    it("by dropping the body and everything that led to it", async () => {
      setFlagsFromString("--expose-gc");
      // Safe: the flag defines it.
      const collectGarbage = runInNewContext("gc") as () => void;
      const peer = await serve((response) => response.write("first"));
      const send = create();
      const readStart = async (): Promise<void> => {
        const reader = (await send(peer.url)).body?.getReader();
        await reader?.read();
      };
      await readStart();
      expect(peer.sockets.size).toBe(1);
      await until(() => {
        collectGarbage();
        return peer.sockets.size === 0;
      });
    });

    it("by nothing else: control, a body that is held stays open", async () => {
      const peer = await serve((response) => response.write("first"));
      const response = await create()(peer.url);
      await new Promise((resolve) => setImmediate(resolve));
      expect(peer.sockets.size).toBe(1);
      await response.body?.cancel();
    });
  },
);

describe("after silence", () => {
  it("an aborted call's origin gets a new connection, also in place of one that was idle", async () => {
    let answered = 0;
    const peer = await serve((response) => {
      answered += 1;
      if (answered !== 3) response.end("{}");
    });
    const fetch = createTestFetch();
    const send = (signal?: AbortSignal): Promise<Response> =>
      fetch(peer.url, { method: "POST", headers: {}, body: "{}", signal });
    const both = await Promise.all([send(), send()]);
    await Promise.all(both.map((response) => response.text()));
    expect(peer.sockets.size).toBe(2);
    const controller = new AbortController();
    const silent = quietly(send(controller.signal));
    await until(() => peer.received.length === 3);
    // Control: it went over one of the two.
    expect(peer.accepted()).toBe(2);
    controller.abort(reason);
    await expect(silent).rejects.toBe(reason);
    await until(() => peer.sockets.size === 0);
    await (await send()).text();
    expect(peer.accepted()).toBe(3);
  });
});
