/**
 * Our `fetch` on undici's `request`: what goes to a provider leaves through here. Owns connections and their limits; owns no
 * retry and no clock of its own but the connect timeout: deadlines are the caller's, by signal.
 *
 * T1. Nothing leaves in clear text unless that is asked for: https, or http on loopback.
 * T2. No redirect is followed. A custom key header would be replayed to wherever the redirect points.
 * T3. Abort, cancel and every failure here close the connection: before the headers, in the body, at the cap.
 * T4. A body is bounded, and read no faster than its reader.
 * T5. undici's own header and body timeouts are off: they are coarse (measured: 1,500 ms fires after 1,713–2,003 ms) and would
 *     hide our causes.
 * T6. After `close()` there is no socket and no call goes out.
 */
import { TransportError } from "@bridle/ports";
import type { GuardedFetch, GuardedRequest } from "@bridle/ports";
import { Agent } from "undici";
import type { Dispatcher } from "undici";

import { checkUrl } from "./check-url.ts";
import { refuseAnswer } from "./refuse-answer.ts";
import { responseStream } from "./response-stream.ts";
import { resolveTransportOptions } from "./transport-options.ts";
import type { ResolvedTransportOptions, TransportOptions } from "./transport-options.ts";

/** A `GuardedFetch` that owns connections. */
export interface TransportFetch extends GuardedFetch {
  /** Ends every call in flight and closes every connection. Idempotent. */
  close(): Promise<void>;
}

export interface FetchOptions extends TransportOptions {
  /** Lets http go beyond this machine: for what carries no credential. Default false. */
  readonly allowClearText?: boolean | undefined;
}

/** Rejects with a `TransportError`, the signal's reason, or undici's error with its `code`. */
export function createFetch(options: FetchOptions = {}): TransportFetch {
  const { allowClearText, ...limits } = options;
  const resolved = resolveTransportOptions(limits);
  const agent = createAgent(resolved);
  let closing: Promise<void> | undefined;
  const fetch = async (text: string, request: GuardedRequest): Promise<Response> => {
    const url = checkUrl(text, allowClearText);
    if (closing !== undefined) {
      throw new TransportError({ fault: "closed", message: "The transport is closed." });
    }
    request.signal?.throwIfAborted();
    const answer = await agent.request(requestOptions(url, request));
    request.onBytes?.(0);
    return toResponse(answer, request, resolved);
  };
  const close = (): Promise<void> => (closing ??= agent.destroy());
  return Object.assign(fetch, { close });
}

function createAgent(options: ResolvedTransportOptions): Agent {
  return new Agent({
    allowH2: false,
    pipelining: 1,
    connections: options.connectionsPerOrigin,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: options.idleConnectionMs,
    connect: {
      timeout: options.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelay: options.keepAliveProbeMs,
      autoSelectFamily: true,
    },
  });
}

function requestOptions(url: URL, request: GuardedRequest): Dispatcher.RequestOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    // undici.request does not decompress, so nothing compressed is asked for.
    headers: { ...request.headers, "accept-encoding": "identity" },
    body: request.body ?? null,
    ...(request.signal && { signal: request.signal }),
  };
}

async function toResponse(
  answer: Dispatcher.ResponseData,
  request: GuardedRequest,
  options: ResolvedTransportOptions,
): Promise<Response> {
  await refuseAnswer(answer, request.expect);
  const isSuccess = answer.statusCode < 300;
  const stream = responseStream({
    body: answer.body,
    maxBytes: isSuccess ? options.maxResponseBytes : options.maxErrorBytes,
    onBytes: request.onBytes,
  });
  const isEmpty = answer.statusCode === 204 || answer.statusCode === 205;
  if (isEmpty) await stream.cancel();
  return new Response(isEmpty ? null : stream, {
    status: answer.statusCode,
    headers: headersOf(answer),
  });
}

function headersOf({ headers }: Dispatcher.ResponseData): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const single of [value ?? []].flat()) result.append(name, single);
  }
  return result;
}
