import { connect } from "node:net";
import type { Socket } from "node:net";

import type { FakeApi } from "../../src/fake-llm/index.ts";
import { paths, requestBody } from "./raw-request.ts";

export interface Rudeness {
  readonly api: FakeApi;
  readonly stream: boolean;
  /** Requests sent at once on one connection. */
  readonly pipelined: number;
  /** Bytes of them that are really sent. */
  readonly sends: number;
  /** Leaves after it has read that many bytes, if that many come. */
  readonly reads: number;
  readonly leaves: "destroy" | "reset" | "half-close";
}

function requestText({ api, stream }: Rudeness, connection: "keep-alive" | "close"): string {
  const body = requestBody(api, stream);
  return [
    `POST /v1${paths[api]} HTTP/1.1`,
    "Host: localhost",
    `Connection: ${connection}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");
}

/** Longest that it waits for bytes that do not come. */
const patienceMs = 15;

/** Asks over a bare socket and leaves as told. Resolves when its socket is gone. */
export async function askRudely(port: number, rudeness: Rudeness): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const gone = goneOf(socket);
  socket.write(
    requestText(rudeness, "keep-alive").repeat(rudeness.pipelined).slice(0, rudeness.sends),
  );
  await enough(socket, rudeness.reads);
  if (rudeness.leaves === "half-close") socket.end();
  if (rudeness.leaves === "reset") socket.resetAndDestroy();
  else socket.destroy();
  await gone;
}

/** Asks properly; its answer means that whoever connected before it has been taken in. */
export async function askAfterwards(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  const gone = goneOf(socket);
  socket.resume();
  const polite: Rudeness = {
    api: "openai-chat",
    stream: false,
    pipelined: 1,
    sends: 0,
    reads: 0,
    leaves: "destroy",
  };
  socket.write(requestText(polite, "close"));
  await gone;
}

function goneOf(socket: Socket): Promise<unknown> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", resolve));
}

async function enough(socket: Socket, bytes: number): Promise<void> {
  let read = 0;
  await new Promise<void>((resolve) => {
    const leave = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(leave, patienceMs);
    socket.once("close", leave);
    socket.on("data", (chunk: Buffer) => {
      read += chunk.length;
      if (read >= bytes) leave();
    });
  });
}
