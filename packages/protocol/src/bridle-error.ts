import { CodedError } from "@bridle/kernel";

import { errorTable } from "./error-table.ts";
import type { ErrorCode } from "./error-table.ts";

export interface BridleErrorOptions {
  /** What happened, with the value, and what to do next. Default: the table's sentence. */
  readonly message?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
  /** Only where one occurrence differs from the table's rule. */
  readonly retryable?: boolean | undefined;
}

/** An error with a row in the table: its code decides status and retryability. */
export function bridleError(code: ErrorCode, options: BridleErrorOptions = {}): CodedError {
  const row = errorTable[code];
  return new CodedError({
    code,
    message: options.message ?? row.message,
    retryable: options.retryable ?? row.retryable,
    status: row.status,
    details: options.details,
    cause: options.cause,
  });
}
