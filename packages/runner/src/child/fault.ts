import { fileURLToPath } from "node:url";

import { CodedError } from "@bridle/kernel";
import type { WireFault } from "@bridle/protocol";

/** Which request's refusal an error was: lets the supervisor use its own record instead of the child's word. */
const origins = new WeakMap<object, number>();

/** The error an agent sees for a refusal of its supervisor. */
export function toError(fault: WireFault, from: number | undefined): CodedError {
  const error = new CodedError({
    code: fault.code,
    message: fault.message,
    retryable: fault.retryable,
    status: 500,
    details: fault.details,
  });
  if (from !== undefined) origins.set(error, from);
  return error;
}

interface AuthorError {
  readonly code?: unknown;
  readonly retryable?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
}

/**
 * What an agent or tool threw, as it crosses. An author's error may carry `code` (matched by `retry.nonRetryable`) and
 * `retryable: false`; anything thrown that is no Error is shown as text.
 */
export function toFault(thrown: unknown, code: string): WireFault {
  if (!(thrown instanceof Error)) {
    return {
      code,
      message: `A value that is no Error was thrown: ${clip(show(thrown), 500)}`,
      retryable: true,
    };
  }
  const author = thrown as AuthorError;
  const from = originOf(thrown);
  return {
    code: typeof author.code === "string" ? clip(author.code, 64) : code,
    message: clip(thrown.message, 4096),
    retryable: author.retryable !== false,
    // An output that does not cross is refused by this package: its stack would say nothing about the agent.
    ...(CodedError.is(thrown) ? {} : { stack: clip(authorFrames(thrown.stack ?? ""), 8192) }),
    ...(from === undefined ? {} : { from }),
  };
}

/** This package, as its files are named in a stack, in `src` or in `dist`. */
const ownPlaces = ["../../src/", "../../dist/"]
  .map((place) => new URL(place, import.meta.url))
  .flatMap((url) => [url.href, fileURLToPath(url)]);

/** The frames above the call of the agent: below it everything is ours and Node's, and the same for every agent. */
function authorFrames(stack: string): string {
  const lines = stack.split("\n");
  const own = lines.findIndex(
    (line) => /^\s+at /.test(line) && ownPlaces.some((place) => line.includes(place)),
  );
  return own === -1 ? stack : lines.slice(0, own).join("\n");
}

/** The HTTP status a failed tool call carries, whichever of the two usual names it has. */
export function statusOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, statusCode } = thrown as AuthorError;
  const found = status ?? statusCode;
  return Number.isInteger(found) ? (found as number) : undefined;
}

/** An agent may wrap what it was refused: looked for along five causes. */
function originOf(thrown: unknown): number | undefined {
  let error: unknown = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth++) {
    const from = origins.get(error);
    if (from !== undefined) return from;
    error = error.cause;
  }
  return undefined;
}

function show(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "[unprintable]";
  }
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length);
}
