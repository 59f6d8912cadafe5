/**
 * A model provider on loopback that speaks OpenAI chat completions over real HTTP, streamed and not, and goes wrong as told.
 * It counts what was really asked of it (see `provider-counters.ts`): that, not our own logs, is what tests hold guards to.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pauseFor } from "node:timers/promises";

import { Exchange } from "./exchange.ts";
import { readFakeRequest } from "./fake-request.ts";
import type { FakeRequest } from "./fake-request.ts";
import { playReply } from "./play-reply.ts";
import { ProviderCounters } from "./provider-counters.ts";
import type { FakeCounters } from "./provider-counters.ts";
import { replyTo } from "./script.ts";
import type { FakeScript } from "./script.ts";

export interface FakeProviderOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default: every request is answered honestly. */
  readonly script?: FakeScript | undefined;
}

export interface FakeProvider {
  /** Base URL for an OpenAI-compatible client, such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  counters(): FakeCounters;
  /** Every request since the last reset, oldest first. */
  requests(): readonly FakeRequest[];
  /** Connections that are open now. */
  connections(): number;
  /** Replaces the script for requests to come; lists start from their beginning after `reset`. */
  play(script: FakeScript): void;
  /** Lets every reply that hangs go on. */
  release(): void;
  /** Forgets counters and requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const desk = new Desk(options.script ?? []);
  const server = createServer((request, response) => desk.receive(request, response));
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A reset by the caller is one of the things under test, not a fault of this process.
    socket.on("error", () => undefined);
  });
  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://127.0.0.1:${port}/v1`,
    counters: () => desk.counters.snapshot(),
    requests: () => desk.requests,
    connections: () => sockets.size,
    play: (script) => desk.play(script),
    release: () => desk.release(),
    reset: () => desk.reset(),
    close: () => closeAll(server, sockets),
  };
}

/** The server counts a connection as ended a little before its socket says so; both are waited for. */
async function closeAll(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const ended = [...sockets].map(
    (socket) => new Promise((resolve) => socket.once("close", resolve)),
  );
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await Promise.all([closed, ...ended]);
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  // Safe: a server that listens on TCP has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

/** Takes requests in, gives each its reply and keeps the books. */
class Desk {
  counters = new ProviderCounters();
  requests: FakeRequest[] = [];
  #script: FakeScript;
  #released = new AbortController();

  constructor(script: FakeScript) {
    this.#script = script;
  }

  play(script: FakeScript): void {
    this.#script = script;
  }

  release(): void {
    this.#released.abort();
    this.#released = new AbortController();
  }

  reset(): void {
    this.counters.reset();
    this.requests = [];
  }

  receive(incoming: IncomingMessage, response: ServerResponse): void {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    readBody(incoming).then(
      (body) => this.#answer(body, incoming, response, gone.signal),
      () => response.destroy(),
    );
  }

  #answer(body: string, incoming: IncomingMessage, response: ServerResponse, gone: AbortSignal) {
    const request = readFakeRequest(body, {
      index: this.counters.requests,
      indexForModel: (model) => this.counters.requestsFor(model),
      headers: incoming.headers as Record<string, string>,
    });
    const isChat = incoming.method === "POST" && incoming.url?.endsWith("/chat/completions");
    if (request === undefined || isChat !== true) {
      response.writeHead(isChat === true ? 400 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "Not a chat completion request." } }));
      return;
    }
    this.#serve(request, response, gone);
  }

  #serve(request: FakeRequest, response: ServerResponse, gone: AbortSignal): void {
    this.requests.push(request);
    const reply = replyTo(this.#script, request);
    this.counters.opened(request.model);
    const exchange = new Exchange({
      request,
      response,
      counters: this.counters,
      gone,
      released: () => this.#released.signal,
      pause: async (ms, signal) => pauseFor(ms, undefined, { signal }),
    });
    response.once("close", () =>
      this.counters.closed({ abandoned: !response.writableFinished && !exchange.hungUp }),
    );
    playReply(exchange, reply).catch((error: unknown) => response.destroy(error as Error));
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
