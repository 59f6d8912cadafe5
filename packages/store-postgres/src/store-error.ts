import { CodedError } from "@bridle/kernel";
import { bridleError, type ErrorCode } from "@bridle/protocol";

/** SQLSTATEs our own functions raise; classes starting with `B` are free for applications. */
const codesBySqlState: Readonly<Record<string, ErrorCode>> = {
  BRN01: "run_not_found",
  "53100": "store_full",
  "25006": "store_unwritable",
  XX001: "store_corrupt",
  XX002: "store_corrupt",
};

/** Codes of the operating system, as a socket, a file or the PGlite thread reports them. */
const codesByErrno: Readonly<Record<string, ErrorCode>> = {
  ENOSPC: "store_full",
  EDQUOT: "store_full",
  EFBIG: "store_full",
  EROFS: "store_unwritable",
  EACCES: "store_unwritable",
  EPERM: "store_unwritable",
  ENOTDIR: "store_unwritable",
  ECONNREFUSED: "store_unavailable",
  ECONNRESET: "store_unavailable",
  ENOTFOUND: "store_unavailable",
  ETIMEDOUT: "store_unavailable",
  EHOSTUNREACH: "store_unavailable",
  EPIPE: "store_unavailable",
};

/** Connection exceptions, insufficient resources, shutdown, wrong credentials: the server is not there for us. */
const unavailableClasses = ["08", "53", "57", "28", "3D"];
const unavailableMessages =
  /terminated|timeout|ended|not queryable|calling end on the pool|closed the connection/i;

/**
 * Any failure of a store operation as a coded error; what has a code already stays as it is. Our own programming
 * errors (a wrong statement) are `internal`, with the SQLSTATE in the details.
 */
export function storeError(cause: unknown, doing?: string): CodedError {
  if (CodedError.is(cause)) return cause;
  const { code, message } = describe(cause);
  const what = doing === undefined ? message : `${doing}: ${message}`;
  return bridleError(codeOf(code, message), {
    message: what,
    details: code === undefined ? {} : { sqlState: code },
    cause,
  });
}

function codeOf(code: string | undefined, message: string): ErrorCode {
  if (code === undefined)
    return unavailableMessages.test(message) ? "store_unavailable" : "internal";
  const known = codesBySqlState[code] ?? codesByErrno[code];
  if (known !== undefined) return known;
  if (unavailableClasses.some((prefix) => code.startsWith(prefix))) return "store_unavailable";
  return /no space left on device/i.test(message) ? "store_full" : "internal";
}

/** An `AggregateError` (one refused address per entry) has an empty message: its first entry speaks for it. */
function describe(cause: unknown): { code: string | undefined; message: string } {
  if (!(cause instanceof Error)) return { code: undefined, message: String(cause) };
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : undefined;
  const speaker = first instanceof Error ? first : cause;
  const code = (speaker as { code?: unknown }).code;
  return { code: typeof code === "string" ? code : undefined, message: speaker.message };
}
