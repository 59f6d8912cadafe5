import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo, Server as TcpServer, Socket } from "node:net";

import { createFetch, createGuardedFetch } from "@bridle/transport";
import type { DropInFetch, FetchOptions, TransportFetch } from "@bridle/transport";

import { certificate, certificateKey } from "./certificate.ts";

/** What a test has opened, to be ended after it. */
const endings: (() => Promise<unknown>)[] = [];

export async function endAll(): Promise<void> {
  await Promise.all(endings.splice(0).map((end) => end()));
}

export function createTestFetch(options?: FetchOptions): TransportFetch {
  const fetch = createFetch(options);
  endings.push(() => fetch.close());
  return fetch;
}

/** Without the environment of whoever runs the tests. */
export function createDropIn(options?: FetchOptions): DropInFetch {
  const fetch = createGuardedFetch({ environment: {}, ...options });
  endings.push(() => fetch.close());
  return fetch;
}

export interface Peer {
  readonly port: number;
  readonly url: string;
  /** Connections that are open, as this side sees it. */
  readonly sockets: ReadonlySet<Socket>;
  /** All there ever were. */
  accepted(): number;
}

export interface HttpPeer extends Peer {
  /** The headers of each request that came. */
  readonly received: IncomingHttpHeaders[];
  /** Requests that were not answered to the end. */
  closedEarly(): number;
}

/** A server that does what `answer` says and remembers what reached it. */
export async function serve(
  answer: (response: ServerResponse) => void,
  isSecure = false,
): Promise<HttpPeer> {
  const received: IncomingHttpHeaders[] = [];
  let closedEarly = 0;
  const listener: RequestListener = (request, response) => {
    received.push(request.headers);
    response.on("close", () => (closedEarly += response.writableFinished ? 0 : 1));
    request.resume();
    answer(response);
  };
  const server: Server = isSecure
    ? createSecureServer({ cert: certificate, key: certificateKey }, listener)
    : createServer(listener);
  // Else an idle connection that the other side forgot would end by itself.
  server.keepAliveTimeout = 0;
  const peer = await listen(server, isSecure ? "https" : "http");
  return { ...peer, received, closedEarly: () => closedEarly };
}

/** A server below HTTP: it does with a connection what `onSocket` says, and reads nothing by itself. */
export async function serveTcp(
  onSocket: (socket: Socket) => void,
  scheme: "http" | "https" = "http",
): Promise<Peer> {
  return listen(createTcpServer({ pauseOnConnect: true }, onSocket), scheme);
}

async function listen(server: TcpServer, scheme: string): Promise<Peer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  // Safe: a TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { port, url: `${scheme}://127.0.0.1:${port}/v1`, sockets, accepted: () => accepted };
}

/** For calls whose end is awaited later. */
export function quietly<Value>(call: Promise<Value>): Promise<Value> {
  call.catch(() => undefined);
  return call;
}
