import { TransportError } from "@bridle/ports";

import { TransportFailure } from "./transport-failure.ts";
import type { TransportFailureCode } from "./transport-failure.ts";

interface Explanation {
  readonly code: TransportFailureCode;
  readonly matches: RegExp;
  readonly says: (host: string, detail: string) => string;
}

/** By the code of the layer below; the first that matches. */
const explanations: readonly Explanation[] = [
  {
    code: "host_not_found",
    matches: /^(ENOTFOUND|EAI_AGAIN)$/,
    says: (host) => `There is no host ${host}. Check the base URL, and the name server.`,
  },
  {
    code: "connection_refused",
    matches: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES)$/,
    says: (host, detail) =>
      `Nothing can be reached at ${host} (${detail}). Check host and port of the base URL, and whether a proxy is needed (HTTPS_PROXY).`,
  },
  {
    code: "tls_failed",
    matches: /CERT|^UNABLE_TO_|HOSTNAME_MISMATCH|^ERR_SSL|^ERR_TLS|^EPROTO$/,
    says: (host, detail) =>
      `${host} could not prove who it is, or does not speak TLS (${detail}). Check that the base URL should begin with https; where a proxy or a private authority signs, name its certificate in NODE_EXTRA_CA_CERTS.`,
  },
  {
    code: "headers_too_large",
    matches: /^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$/,
    says: (host) => `The headers of ${host}'s answer are larger than maxHeaderBytes allows.`,
  },
  {
    code: "not_http",
    matches: /^HPE_/,
    says: (host, detail) =>
      `What answers at ${host} does not speak HTTP (${detail}). Check scheme and port of the base URL.`,
  },
  {
    code: "invalid_request",
    matches: /^UND_ERR_(INVALID_ARG|NOT_SUPPORTED|REQ_CONTENT_LENGTH_MISMATCH)$/,
    says: (_host, detail) =>
      `The request cannot be written as HTTP (${detail}). Check its method and headers; a key pasted with a line break is a common reason.`,
  },
  {
    code: "connection_lost",
    matches:
      /^(ECONNRESET|EPIPE|ETIMEDOUT|UND_ERR_SOCKET|UND_ERR_INFO|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    says: (host, detail) =>
      `The connection to ${host} ended in the middle of the call (${detail}).`,
  },
];

/** The same failure with a code of ours and the way out; what has one, and what nobody knows, stays as it is. */
export function explainFailure(error: unknown, host: string): unknown {
  if (error instanceof TransportFailure || error instanceof TransportError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const found = explanations.find(({ matches }) => matches.test(code));
  if (found === undefined) return error;
  return new TransportFailure({ code: found.code, message: found.says(host, code), cause: error });
}

function codeOf(error: unknown): string | undefined {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string") return code;
  // undici's own checks of an answer leave the code out.
  return name === "HTTPParserError" ? "HPE_INVALID" : undefined;
}
