/**
 * What goes to a provider leaves through here. Owns connections and their limits; owns no retry.
 *
 * T1. Nothing leaves in clear text unless that is asked for: https, or http on loopback.
 * T2. No redirect is followed. A custom key header would be replayed to wherever the redirect points.
 * T3. Abort, cancel and every failure here close the connection: in line, while connecting, before the headers, in the body, while its
 *     reader pauses, when its reader is gone, at the cap.
 * T4. Bodies are bounded, and read no faster than their reader.
 * T5. undici's own header and body timeouts are off: they are coarse (measured: 1,500 ms fires after 1,713–2,003 ms) and would
 *     hide our causes.
 * T6. After `close()` there is no socket and no call goes out.
 */
import { TransportError } from "@bridle/ports";
import type { GuardedRequest } from "@bridle/ports";
import type { Dispatcher } from "undici";

import { checkUrl } from "./check-url.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Connection } from "./connection.ts";
import { createDial, createTunnelDial } from "./dial.ts";
import { Exchange } from "./exchange.ts";
import { explainFailure } from "./explain-failure.ts";
import { judgeAnswer } from "./judge-answer.ts";
import type { Answer } from "./judge-answer.ts";
import { proxyFor } from "./proxy-for.ts";
import { responseStream } from "./response-stream.ts";
import { resolveSettings } from "./settings.ts";
import type { Environment, Settings, TransportOptions } from "./settings.ts";
import { StartOfBody } from "./start-of-body.ts";
import { readForceIpv4 } from "./switches.ts";
import { TransportFailure } from "./transport-failure.ts";

export interface FetchOptions extends TransportOptions {
  /** Lets http go beyond this machine: for what carries no credential. Default false. */
  readonly allowClearText?: boolean | undefined;
  /** Asks for IPv4 addresses only, where IPv6 is announced and does not work. Default false. */
  readonly forceIpv4?: boolean | undefined;
  /** The http or https proxy of every call, or `"none"`. Default: what the environment says. */
  readonly proxy?: string | undefined;
  /** Certificates (PEM) to trust in place of the system's. */
  readonly ca?: string | undefined;
  /** `BRIDLE_LLM_*`, `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly environment?: Environment | undefined;
}

export interface TransportRequest extends Omit<GuardedRequest, "body"> {
  readonly body?: string | Uint8Array | undefined;
}

export interface TransportContext {
  readonly isDropIn: boolean;
  readonly environment: Environment;
}

export class Transport {
  readonly settings: Settings;
  readonly #options: FetchOptions;
  readonly #context: TransportContext;
  readonly #pools = new Map<string, ConnectionPool<Connection>>();
  readonly #inFlight = new Set<Exchange>();
  #isClosed = false;

  constructor(options: FetchOptions, context: TransportContext) {
    const { environment, isDropIn } = context;
    this.#options = { ...options, ...switchesOf(options, environment) };
    this.#context = context;
    this.settings = resolveSettings(options, { isPort: !isDropIn, environment });
  }

  async send(text: string, request: TransportRequest): Promise<Response> {
    const url = checkUrl(text, this.#options.allowClearText);
    const body = bytesOf(request.body);
    this.#refuseLarge(body);
    if (this.#isClosed) {
      throw new TransportError({ fault: "closed", message: "The transport is closed." });
    }
    const { method, headers, signal } = request;
    const exchange: Exchange = new Exchange({
      request: { url, method, headers, body, signal },
      pool: this.#poolFor(url),
      settings: this.settings,
      // The port's users know the codes of the layer below.
      explain: this.#context.isDropIn ? explainFailure : (error) => error,
      onEnd: () => void this.#inFlight.delete(exchange),
    });
    signal?.throwIfAborted();
    this.#inFlight.add(exchange);
    return this.#respond(exchange, request);
  }

  async #respond(exchange: Exchange, request: TransportRequest): Promise<Response> {
    const raw = await exchange.begin();
    request.onBytes?.(0);
    const start = new StartOfBody(exchange);
    const answer = {
      status: raw.statusCode,
      headers: headersOf(raw),
      start: () => start.text(),
    };
    const { isDropIn } = this.#context;
    const { method, expect } = request;
    try {
      const fault = await judgeAnswer(answer, { method, expect, isDropIn });
      if (fault !== undefined) throw fault;
    } catch (error) {
      exchange.fail(error);
      throw error;
    }
    return this.#toResponse(answer, { exchange, first: start.pieces, onBytes: request.onBytes });
  }

  #toResponse(
    { status, headers }: Answer,
    rest: Pick<Parameters<typeof responseStream>[0], "exchange" | "first" | "onBytes">,
  ): Response {
    if (status === 204 || status === 205) {
      // What should not be there is not waited for.
      void rest.exchange.read().then(
        (piece) => piece && rest.exchange.fail(new Error("A body came where none may be.")),
        () => undefined,
      );
      return new Response(null, { status, headers });
    }
    if (headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true) {
      rest.exchange.watchData();
    }
    const { maxResponseBytes, maxErrorBytes } = this.settings;
    const maxBytes = status < 300 ? maxResponseBytes : maxErrorBytes;
    return new Response(responseStream({ ...rest, maxBytes }), { status, headers });
  }

  /** Ends every call in flight and every connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const reason = new TransportFailure({
      code: "interrupted",
      message: "The transport was closed while the call was under way.",
    });
    for (const exchange of this.#inFlight) exchange.fail(reason);
    for (const pool of this.#pools.values()) pool.renew();
    this.#pools.clear();
  }

  #poolFor(url: URL): ConnectionPool<Connection> {
    const known = this.#pools.get(url.origin);
    if (known !== undefined) return known;
    const { forceIpv4 = false, proxy: named, ca } = this.#options;
    const proxy = proxyFor(url, { proxy: named, environment: this.#context.environment });
    const { settings } = this;
    const options = { settings, forceIpv4, ca };
    const dial =
      proxy === undefined ? createDial(options) : createTunnelDial({ ...options, proxy });
    const pool = new ConnectionPool({
      limit: settings.connectionsPerOrigin,
      open: () => new Connection({ origin: url.origin, dial, settings }),
    });
    this.#pools.set(url.origin, pool);
    return pool;
  }

  #refuseLarge(body: Uint8Array | undefined): void {
    const { maxRequestBytes } = this.settings;
    if (body !== undefined && body.byteLength > maxRequestBytes) {
      throw requestTooLarge(maxRequestBytes);
    }
  }
}

export function requestTooLarge(maxRequestBytes: number): TransportFailure {
  return new TransportFailure({
    code: "request_too_large",
    message: `The request is larger than ${maxRequestBytes} bytes (maxRequestBytes), and was not sent. Leave out or shrink what is attached.`,
  });
}

/** Switches have variables as well; a proxy of ours wins over everybody's. */
function switchesOf(options: FetchOptions, environment: Environment): FetchOptions {
  return {
    forceIpv4: options.forceIpv4 ?? readForceIpv4(environment),
    proxy: options.proxy ?? environment["BRIDLE_LLM_PROXY"],
  };
}

function bytesOf(body: string | Uint8Array | undefined): Uint8Array | undefined {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return bytes?.byteLength === 0 ? undefined : bytes;
}

/** What the web's `Headers` do not take (a stray control character) is left out, not thrown into the call. */
function headersOf({ headers }: Dispatcher.ResponseData): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const single of [value ?? []].flat()) {
      try {
        result.append(name, single);
      } catch {
        // Nothing reads a header that HTTP does not allow.
      }
    }
  }
  return result;
}
