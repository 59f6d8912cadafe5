/** Why a call ended at this transport, beside the faults of the port. Whoever reads a log meets these words. */
export const transportFailures = [
  "invalid_setting",
  "invalid_url",
  "invalid_request",
  "request_too_large",
  "no_free_connection",
  "connect_timeout",
  "write_timeout",
  "first_byte_timeout",
  "any_byte_timeout",
  "stall_timeout",
  "total_timeout",
  "headers_too_large",
  "host_not_found",
  "connection_refused",
  "connection_lost",
  "tls_failed",
  "proxy_failed",
  "not_http",
  "encoded_answer",
  "malformed_answer",
  "wrong_address",
  "abandoned",
  "interrupted",
] as const;
export type TransportFailureCode = (typeof transportFailures)[number];

export interface TransportFailureOptions {
  readonly code: TransportFailureCode;
  /** What happened, and what to set or change. Never holds a header's value, a path or a query: they may be secrets. */
  readonly message: string;
  readonly status?: number | undefined;
  /** Start of the body of an unexpected answer. May echo what was sent: redact before showing it. */
  readonly bodyText?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Rejection of a call for a reason that has a way out. The layer below, with its own code, is the `cause`; for our own clocks that
 * has the code of undici for the same limit, so that whoever sorts by code needs to know one list.
 */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";
  readonly code: TransportFailureCode;
  readonly status: number | undefined;
  readonly bodyText: string | undefined;

  constructor(options: TransportFailureOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.status = options.status;
    this.bodyText = options.bodyText;
  }
}
