import { CodedError } from "@bridle/kernel";
import { bridleError, errorTable } from "@bridle/protocol";
import type { ErrorCode, Problem, SpecIssue } from "@bridle/protocol";

/** Codes of the web framework that mean something a caller can act on. */
const frameworkErrors: Readonly<Record<string, () => CodedError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => bridleError("body_too_large"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    bridleError("media_type_unsupported", {
      message: "Send application/json, or application/yaml for a workflow.",
    }),
  FST_ERR_CTP_EMPTY_TYPE: () => bridleError("media_type_unsupported"),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    bridleError("request_invalid", { message: "The body is not as long as Content-Length says." }),
  FST_ERR_BAD_URL: () =>
    bridleError("request_invalid", { message: "The URL has a % that begins no valid character." }),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    bridleError("request_invalid", { message: "A part of the URL's path is too long for an id." }),
};

/** Turns anything thrown by a handler into an error of the table. What is not meant for callers becomes `internal`. */
export function codedErrorOf(error: unknown): CodedError {
  if (CodedError.is(error)) return error;
  const { code, statusCode, message } = error as {
    code?: unknown;
    statusCode?: unknown;
    message?: unknown;
  };
  const known = typeof code === "string" ? frameworkErrors[code] : undefined;
  if (known !== undefined) return known();
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return bridleError("request_invalid", { message: String(message), cause: error });
  }
  return bridleError("internal", { cause: error });
}

/** What a failed `safeParse` of a protocol schema says. */
export interface SchemaFaults {
  readonly issues: readonly {
    readonly path: readonly PropertyKey[];
    readonly code: string;
    readonly message: string;
  }[];
}

/** A request whose parts do not match their schema: one issue per fault, with a JSON pointer below `base`. */
export function requestInvalid(error: SchemaFaults, base: string): CodedError {
  const issues: SpecIssue[] = error.issues.map((issue) => ({
    pointer: `${base}${issue.path.map((part) => `/${escapePointer(String(part))}`).join("")}`,
    code: issue.code,
    message: issue.message,
  }));
  const first = issues[0];
  return bridleError("request_invalid", {
    message:
      first === undefined
        ? undefined
        : `${first.pointer === "" ? "/" : first.pointer}: ${first.message}`,
    details: { issues },
    cause: error,
  });
}

/** Text with NUL is in no store, so nothing can be found by it; handed on it would be a fault of the database's. */
export function refuseNul(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    if (![name, String(value)].some((text) => text.includes("\0"))) continue;
    const message = `The query parameter ${JSON.stringify(name)} holds a NUL character.`;
    throw bridleError("request_invalid", { message });
  }
}

function escapePointer(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Their messages are the database's or ours: addresses, statements, paths. They go to the log, under the same trace id. */
const inward: ReadonlySet<string> = new Set([
  "internal",
  "store_unavailable",
  "store_unwritable",
  "store_full",
  "store_corrupt",
  "budget_unavailable",
]);

function detailOf({ code, message }: CodedError): string {
  return inward.has(code) ? errorTable[code as ErrorCode].message : message;
}

/** The RFC 9457 body of an error. */
export function problemOf(error: CodedError, traceId: string): Problem {
  const { issues } = error.details as { issues?: readonly SpecIssue[] };
  return {
    type: `urn:bridle:error:${error.code}`,
    title: error.code.replaceAll("_", " "),
    status: error.status,
    code: error.code,
    detail: detailOf(error),
    retryable: error.retryable,
    traceId,
    ...(issues === undefined ? {} : { issues: [...issues] }),
  };
}
