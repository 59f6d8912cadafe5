/** Takes requests in, gives each its reply and keeps the books (see `provider-counters.ts`). */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pauseFor } from "node:timers/promises";

import { dialectAt } from "./dialects/all-dialects.ts";
import { openAiErrorBody } from "./dialects/openai-shared.ts";
import { Exchange } from "./exchange.ts";
import { readFakeRequest } from "./fake-request.ts";
import type { FakeRequest } from "./fake-request.ts";
import { playReply } from "./play-reply.ts";
import { ProviderCounters } from "./provider-counters.ts";
import { replyTo } from "./script.ts";
import type { FakeScript } from "./script.ts";

/** One request's way back, and the news that nobody listens any more. */
interface Caller {
  readonly response: ServerResponse;
  readonly gone: AbortSignal;
}

export class Desk {
  readonly counters = new ProviderCounters();
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
    const leave = (): void => gone.abort();
    const { socket } = incoming;
    // An answer that waits for an earlier one on its connection is not told of the connection's end by itself.
    socket.once("close", leave);
    response.once("close", () => {
      socket.off("close", leave);
      leave();
    });
    readBody(incoming).then(
      (body) => this.#answer(body, incoming, { response, gone: gone.signal }),
      () => response.destroy(),
    );
  }

  #answer(body: string, incoming: IncomingMessage, caller: Caller): void {
    const { method, url = "", headers } = incoming;
    const dialect = method === "POST" ? dialectAt(url) : undefined;
    if (dialect === undefined) {
      refuse(caller, 404, openAiErrorBody(404, { message: `Nothing at ${method} ${url}.` }));
      return;
    }
    const place = {
      index: this.counters.requests,
      indexForModel: (model: string) => this.counters.requestsFor(model),
      headers: headers as Record<string, string>,
    };
    const request = readFakeRequest(body, place, dialect);
    if (request === undefined) {
      const message = `No request of ${dialect.api}.`;
      refuse(caller, 400, dialect.errorBody(400, { message, type: "invalid_request_error" }));
      return;
    }
    this.#serve(request, caller);
  }

  #serve(request: FakeRequest, { response, gone }: Caller): void {
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
      now: () => Date.now(),
    });
    const close = (): void =>
      this.counters.closed({ abandoned: !response.writableFinished && !exchange.hungUp });
    // The body may have been the last thing that came of a caller.
    if (gone.aborted) close();
    else gone.addEventListener("abort", close, { once: true });
    playReply(exchange, reply).catch((error: unknown) => response.destroy(error as Error));
  }
}

function refuse({ response }: Caller, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
