import { CodedError } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import { bridleError, problemSchema } from "@bridle/protocol";

/** The part of the platform's `fetch` used here; passed in, so that tests need no network. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Connection {
  /** Without a trailing slash, e.g. `http://127.0.0.1:7070`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How long a plain request may take; default 30 s. */
  readonly requestTimeoutMs: number;
}

export interface Call {
  readonly method: "GET" | "POST";
  /** Below `/api/v1`, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one request and hands back a successful response. A refusal becomes the CodedError that its problem body
 * describes; no answer becomes `server_unreachable`. An abort by the caller rejects with the caller's reason.
 */
export async function send(connection: Connection, call: Call): Promise<Response> {
  const response = await reach(connection, call);
  if (response.ok) return response;
  throw await problemOf(response);
}

async function reach(connection: Connection, call: Call): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json", ...call.headers };
  if (connection.apiKey !== undefined) headers["authorization"] = `Bearer ${connection.apiKey}`;
  if (call.body !== undefined) headers["content-type"] = "application/json";
  refuseUnsendable(headers);
  const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
  try {
    return await connection.fetch(`${connection.url}/api/v1${call.path}`, {
      method: call.method,
      headers,
      // A redirect would carry the key to an address nobody configured.
      redirect: "error",
      ...body,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
  } catch (error) {
    if (call.signal?.aborted === true) throw call.signal.reason;
    throw unreachable(connection.url, error);
  }
}

/** Said before it is tried: the platform's own complaint quotes the value, and that may be a key. */
function refuseUnsendable(headers: Readonly<Record<string, string>>): void {
  // oxlint-disable-next-line no-control-regex -- a header holds no control characters
  const isSendable = /^[^\u0000-\u001F\u007F\u0100-\uFFFF]*$/;
  for (const [name, value] of Object.entries(headers)) {
    if (isSendable.test(value)) continue;
    const what = name === "authorization" ? "The API key" : `The value of ${name}`;
    throw bridleError("request_invalid", {
      message: `${what} has a character that cannot be sent, such as a line break.`,
    });
  }
}

/** The part of a protocol schema used here. */
export interface Parser<Output> {
  parse(value: unknown): Output;
}

/** As `send`, with the timeout of plain requests, and the body parsed by `schema`. */
export async function ask<Output>(
  connection: Connection,
  schema: Parser<Output>,
  call: Call & { readonly extraMs?: number },
): Promise<Output> {
  const timeoutMs = connection.requestTimeoutMs + (call.extraMs ?? 0);
  const timeout = new AbortController();
  const timer = connection.clock.setTimer(timeoutMs, () =>
    timeout.abort(unreachable(connection.url, new Error(`no answer within ${timeoutMs} ms`))),
  );
  const signals = call.signal === undefined ? [timeout.signal] : [timeout.signal, call.signal];
  try {
    const response = await send(connection, { ...call, signal: AbortSignal.any(signals) });
    return schema.parse(await response.json());
  } catch (error) {
    throw timeout.signal.aborted ? timeout.signal.reason : readable(connection.url, error);
  } finally {
    timer.cancel();
  }
}

function readable(url: string, error: unknown): unknown {
  if (CodedError.is(error) || (error instanceof Error && error.name === "AbortError")) return error;
  return bridleError("server_unreachable", {
    message: `${url} answered, but not as a Bridle server does. Check the URL, and that client and server are of one version.`,
    cause: error,
    retryable: false,
  });
}

export function unreachable(url: string, cause: unknown): CodedError {
  return bridleError("server_unreachable", {
    message: `No Bridle server answers at ${url} (${reasonOf(cause)}). Start one with \`bridle dev\`, or name another with --url or BRIDLE_URL.`,
    details: { url },
    cause,
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return cause instanceof Error ? cause.message : error.message;
}

async function problemOf(response: Response): Promise<CodedError> {
  const body: unknown = await response.json().catch(() => undefined);
  const problem = problemSchema.safeParse(body);
  if (!problem.success) {
    return bridleError(response.status >= 500 ? "server_unreachable" : "request_invalid", {
      message: `The server answered ${response.status} without a problem body.`,
      details: { status: response.status },
    });
  }
  const { code, detail, retryable, status, issues, traceId } = problem.data;
  return new CodedError({
    code,
    message: detail,
    retryable,
    status,
    details: {
      ...(issues === undefined ? {} : { issues }),
      ...(traceId === undefined ? {} : { traceId }),
    },
  });
}
