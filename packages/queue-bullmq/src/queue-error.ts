import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

/** What Postgres and the operating system call a full disk; the database's message says it also where the code does not. */
const fullDisk: ReadonlySet<unknown> = new Set(["53100", "ENOSPC", "EDQUOT", "EFBIG"]);

export function queueError(cause: unknown): CodedError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const { code } = (cause ?? {}) as { code?: unknown };
  const isFull = fullDisk.has(code) || /no space left on device/i.test(message);
  return bridleError(isFull ? "store_full" : "store_unavailable", {
    message: `The queue's database: ${message}`,
    cause,
  });
}
