import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import { afterEach, beforeEach, expect, it } from "vitest";

import { startToxicProxy } from "../toxic-proxy.ts";
import type { ToxicProxy } from "../toxic-proxy.ts";
import { until } from "../until.ts";

/** A server that says everything back, and a client before the proxy before it. */
let proxy: ToxicProxy;
let close: () => Promise<void>;
const received: string[] = [];
const clients: Client[] = [];

class Client {
  readonly socket: Socket;
  heard = "";
  ended: "open" | "closed" | "reset" = "open";

  constructor() {
    this.socket = connect(proxy.port, "127.0.0.1");
    this.socket.on("data", (bytes: Buffer) => (this.heard += bytes.toString()));
    this.socket.on("error", () => (this.ended = "reset"));
    this.socket.on("close", () => (this.ended = this.ended === "reset" ? "reset" : "closed"));
    clients.push(this);
  }

  async says(text: string): Promise<this> {
    await new Promise<void>((resolve) => this.socket.write(text, () => resolve()));
    return this;
  }

  async hears(text: string): Promise<void> {
    await until(() => this.heard === text);
  }
}

beforeEach(async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => {
      received.push(bytes.toString());
      socket.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy = await startToxicProxy((server.address() as AddressInfo).port);
  close = async () => {
    for (const { socket } of clients.splice(0)) socket.destroy();
    await proxy.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(async () => {
  received.length = 0;
  await close();
});

it("passes everything on while it is told nothing", async () => {
  const client = await new Client().says("hello");
  await client.hears("hello");
  expect(proxy.counts).toMatchObject({
    accepted: 1,
    open: 1,
    requestBytes: 5,
    answerBytes: 5,
    swallowedBytes: 0,
  });
  client.socket.end();
  await until(() => proxy.counts.open === 0);
});

it("latency: every piece is late, each way", async () => {
  proxy.set({ type: "latency", ms: 30 });
  const startedMs = performance.now();
  await (await new Client().says("hello")).hears("hello");
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(59);
});

it("bandwidth: so many bytes take so long", async () => {
  proxy.set({ type: "bandwidth", bytesPerSecond: 10_000 });
  const startedMs = performance.now();
  await (await new Client().says("x".repeat(300))).hears("x".repeat(300));
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(59);
});

it.each([
  { swallows: "requests", reaches: [] },
  { swallows: "answers", reaches: ["hello"] },
  { swallows: "both", reaches: [] },
] as const)(
  "half-open: $swallows are taken and lead nowhere, until it is switched off",
  async ({ swallows, reaches }) => {
    const client = new Client();
    proxy.set({ type: "half-open", swallows });
    await client.says("hello");
    await until(() => proxy.counts.swallowedBytes === 5);
    expect([received, client.heard, client.ended]).toEqual([reaches, "", "open"]);
    proxy.set();
    await client.says("again");
    await client.hears("again");
  },
);

it("half-open: nobody is told that the other side has gone", async () => {
  const client = await new Client().says("hello");
  await client.hears("hello");
  proxy.set({ type: "half-open", swallows: "both" });
  client.socket.end("bye");
  await until(() => proxy.counts.swallowedBytes === 3);
  expect([client.ended, proxy.counts.open]).toEqual(["open", 1]);
});

it("vanish: what is open falls silent, what comes later is served", async () => {
  const before = await new Client().says("hello");
  await before.hears("hello");
  proxy.vanish();
  await before.says("anyone?");
  await (await new Client().says("later")).hears("later");
  await until(() => proxy.counts.swallowedBytes === 7);
  expect([before.heard, before.ended]).toEqual(["hello", "open"]);
});

it.each([
  { how: "close", ended: "closed" },
  { how: "reset", ended: "reset" },
] as const)("cut: after so many bytes the connection ends ($how)", async ({ how, ended }) => {
  proxy.set({ type: "cut", afterBytes: 3, how });
  const client = await new Client().says("hello");
  await until(() => client.ended !== "open");
  expect(client.ended).toBe(ended);
  // A reset may overtake what was sent before it.
  expect("hel".startsWith(client.heard)).toBe(true);
  expect(proxy.counts).toMatchObject({ cut: 1, answerBytes: 3 });
});

it("reset: every open connection, and no later one", async () => {
  const client = await new Client().says("hello");
  await client.hears("hello");
  proxy.reset();
  await until(() => client.ended !== "open");
  expect(client.ended).toBe("reset");
  await (await new Client().says("later")).hears("later");
});

it("refuse: new connections end at once, open ones go on", async () => {
  const open = await new Client().says("hello");
  await open.hears("hello");
  proxy.set({ type: "refuse" });
  const late = new Client();
  await until(() => late.ended === "reset");
  await open.says("!");
  await open.hears("hello!");
  expect(proxy.counts).toMatchObject({ accepted: 1, refused: 1 });
});
