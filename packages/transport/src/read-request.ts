import type { Settings } from "./settings.ts";
import { TransportFailure } from "./transport-failure.ts";
import { requestTooLarge } from "./transport.ts";
import type { TransportRequest } from "./transport.ts";

/** The connection's own business; the web's `fetch` takes none of these either. */
const connectionHeaders = [
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

type Body = string | Uint8Array | undefined;

/** A `Request` of any make: SDKs bring their own. */
type RequestLike = Pick<Request, "url" | "method" | "headers" | "body" | "signal">;

/** The web's way of asking as ours, with the body in memory. Throws `invalid_request` and `request_too_large`. */
export async function readRequest(
  input: string | URL | RequestLike,
  init: RequestInit,
  settings: Settings,
): Promise<TransportRequest & { readonly url: string }> {
  const asked = isRequest(input) ? merge(input, init) : { ...init, url: String(input) };
  const signal = asked.signal ?? undefined;
  signal?.throwIfAborted();
  const { body, type } = await readBody(asked.body, settings.maxRequestBytes, signal);
  const headers = readHeaders(asked.headers, type);
  return {
    url: asked.url,
    method: (asked.method ?? "GET").toUpperCase(),
    headers,
    body,
    signal,
    expect: asksForStream(headers, body) ? "event-stream" : undefined,
  };
}

/** What is given beside a request wins over what is in it. */
function merge(request: RequestLike, init: RequestInit): RequestInit & { readonly url: string } {
  return {
    url: request.url,
    method: init.method ?? request.method,
    headers: init.headers ?? request.headers,
    body: init.body ?? request.body,
    signal: init.signal ?? request.signal,
  };
}

function isRequest(input: string | URL | RequestLike): input is RequestLike {
  return typeof input === "object" && "url" in input && "method" in input;
}

function readHeaders(given: RequestInit["headers"], type: string | null): Record<string, string> {
  let headers: Headers;
  try {
    headers = new Headers(given);
  } catch {
    // The error would quote the value, which may be a key.
    throw new TransportFailure({
      code: "invalid_request",
      message:
        "A header of the request cannot be written as HTTP. Check the API key and the headers you add: a line break or a letter beyond Latin-1 is a common reason.",
    });
  }
  if (type !== null && !headers.has("content-type")) headers.set("content-type", type);
  for (const name of connectionHeaders) headers.delete(name);
  return Object.fromEntries(headers);
}

interface ReadBody {
  readonly body: Body;
  readonly type: string | null;
}

async function readBody(
  body: RequestInit["body"],
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<ReadBody> {
  if (body === undefined || body === null) return { body: undefined, type: null };
  if (typeof body === "string") return { body, type: "text/plain;charset=UTF-8" };
  if (ArrayBuffer.isView(body)) {
    return { body: new Uint8Array(body.buffer, body.byteOffset, body.byteLength), type: null };
  }
  if (body instanceof ArrayBuffer) return { body: new Uint8Array(body), type: null };
  if (!isReadable(body)) {
    throw new TransportFailure({
      code: "invalid_request",
      message:
        "The body of the request is of no kind that fetch knows: text, bytes, a form, a blob or a stream.",
    });
  }
  const response = new Response(body);
  const type = response.headers.get("content-type");
  return { body: await collect(response, maxBytes, signal), type };
}

function isReadable(body: object): boolean {
  return (
    [URLSearchParams, FormData, Blob, ReadableStream].some((kind) => body instanceof kind) ||
    Symbol.asyncIterator in body
  );
}

/** An abort does not wait for a body that does not come. */
async function collect(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const onAbort = (): void => void reader.cancel(signal?.reason).catch(() => undefined);
  signal?.addEventListener("abort", onAbort, { once: true });
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return Buffer.concat(pieces);
      pieces.push(value);
      size += value.byteLength;
      if (size > maxBytes) throw requestTooLarge(maxBytes);
    }
  } catch (error) {
    void reader.cancel(error).catch(() => undefined);
    throw error;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

/** By its `Accept`, or by the switch in its body that all model APIs share. */
function asksForStream(headers: Readonly<Record<string, string>>, body: Body): boolean {
  if (headers["accept"]?.trim().toLowerCase() === "text/event-stream") return true;
  // Most bodies do not say so, and need not be parsed.
  if (typeof body !== "string" || !/"stream"\s*:\s*true/.test(body)) return false;
  try {
    return (JSON.parse(body) as { stream?: unknown } | null)?.stream === true;
  } catch {
    return false;
  }
}
