/** Why the transport refused or gave up on its own account; network faults keep the codes of the layer below. */
export const transportFaults = [
  /** Plain http to anything but loopback, or a URL that carries a user name. */
  "insecure_url",
  /** The answer was a redirect: never followed, since the credential would follow too. */
  "redirect_refused",
  /** A stream was asked for and something else came: a proxy's page, a plain JSON body. */
  "unexpected_content_type",
  "response_too_large",
  "invalid_status",
  "closed",
] as const;
export type TransportFault = (typeof transportFaults)[number];

export interface TransportErrorOptions {
  readonly fault: TransportFault;
  readonly message: string;
  readonly status?: number | undefined;
  /** Start of the body of an unexpected answer. May echo what was sent: redact before showing it. */
  readonly bodyText?: string | undefined;
}

/** Rejection of a `GuardedFetch` for a reason of its own. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly code: TransportFault;
  readonly status: number | undefined;
  readonly bodyText: string | undefined;

  constructor(options: TransportErrorOptions) {
    super(options.message);
    this.code = options.fault;
    this.status = options.status;
    this.bodyText = options.bodyText;
  }
}

export interface GuardedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** An abort closes the connection, before the headers and in the body alike. */
  readonly signal?: AbortSignal | undefined;
  /** With `event-stream`, a 2xx answer of another type rejects with `unexpected_content_type`. */
  readonly expect?: "event-stream" | undefined;
  /**
   * Told of every piece of the body as it is read, pings and comments included, and once with 0 when the headers are there.
   * Contract: synchronous, never throws.
   */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/**
 * The only way a provider is reached. Contract: one request on the wire per call, no redirect followed, no retry; the body's
 * stream must be read to its end or cancelled.
 */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<Response>;
