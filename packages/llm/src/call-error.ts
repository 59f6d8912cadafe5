import type { CodedError } from "@bridle/kernel";
import { bridleError, errorTable } from "@bridle/protocol";
import type { ErrorCode } from "@bridle/protocol";

import type { AttemptRecord } from "./attempt-record.ts";

/** A partial answer is kept for whoever wants to go on from it, up to this length. */
const maxPartialCharacters = 32_768;

export interface CallErrorOptions {
  readonly code: ErrorCode;
  readonly model: string;
  /** Every failed wire call of this call, oldest first, at least one. */
  readonly attempts: readonly AttemptRecord[];
  readonly partialText: string;
  readonly retryAfterMs: number | undefined;
}

/**
 * What a caller sees when no recovery is left (L21): what happened in plain words, what the provider said last, and each wire call
 * made (B053). Text that had arrived is kept in `details.partialText` and never repeated by us.
 */
export function callError(options: CallErrorOptions): CodedError {
  const { code, model, attempts, partialText, retryAfterMs } = options;
  const hasBegun = partialText !== "";
  const words = [`Model ${model}: ${errorTable[code].message}`, history(attempts)];
  if (hasBegun) words.push("The answer had begun, so it was not asked for again.");
  return bridleError(code, {
    message: words.join(" "),
    details: {
      model,
      attempts,
      ...(hasBegun && { partialText: partialText.slice(0, maxPartialCharacters) }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    },
  });
}

function history(attempts: readonly AttemptRecord[]): string {
  const last = attempts.at(-1);
  if (last === undefined) return "Nothing was sent.";
  const count = attempts.length === 1 ? "One call was made" : `${attempts.length} calls were made`;
  const answer = last.status === undefined ? "ended with" : `answered ${last.status}`;
  return `${count}; the last, to ${last.target}, ${answer}: ${last.message}`;
}
