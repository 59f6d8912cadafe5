import type { DecisionCommit, OpenedEnvelope } from "@bridle/ports";

import { toColumn } from "./amounts-columns.ts";

export function answerColumns({
  taskId,
  key,
  body,
}: NonNullable<DecisionCommit["answers"]>[number]): Readonly<Record<string, string>> {
  // As JSON: an author may put any character into it.
  return { taskId, key: JSON.stringify(key), body };
}

export function envelopeColumns({
  taskId,
  terms: { limit, creditMode, onTrip },
  carvedFrom,
}: OpenedEnvelope) {
  const [tokens, nanoUsd, calls] = toColumn(limit);
  return { taskId, tokens, nanoUsd, calls, creditMode, onTrip, carvedFrom };
}
