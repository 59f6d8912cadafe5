import type { Amounts, EnvelopeTerms, RunId, TaskOutcome } from "@bridle/protocol";
import { asRunId, toWireAmounts } from "@bridle/protocol";

import type { NewRun } from "../run-log.ts";

/** Wall ms that contracts date things with: later than any clock they meet, so nothing they set is due by accident. */
export const contractWallMs = 4_000_000_000_000;

/** Hostile but legal content: NUL, lone surrogates, quotes, astral characters. As JSON text it is plain ASCII where it must be. */
export const hostileText = `a\u0000b\uD800c\uDC00d"'\\ \u2028 🜂 é`;

let count = 0;

export function newRunId(): RunId {
  count += 1;
  return asRunId(`run_Contract${count}`);
}

export function tokens(amount: number): Amounts {
  return { tokens: amount, nanoUsd: 0, calls: 0 };
}

export function termsOf(limit: number, overrides: Partial<EnvelopeTerms> = {}): EnvelopeTerms {
  return {
    limit: { tokens: limit, nanoUsd: Number.MAX_SAFE_INTEGER, calls: Number.MAX_SAFE_INTEGER },
    creditMode: "credit",
    onTrip: "nothing",
    ...overrides,
  };
}

export function newRun(overrides: Partial<NewRun> = {}): NewRun {
  const runId = overrides.runId ?? newRunId();
  return {
    runId,
    traceId: `trace-${runId}`,
    workflow: "contract",
    version: 1,
    compiled: JSON.stringify({ compiled: runId }),
    input: JSON.stringify({ input: runId }),
    budget: termsOf(1000),
    event: {
      type: "run.submitted",
      at: contractWallMs,
      runId,
      workflow: "contract",
      version: 1,
      limit: toWireAmounts(tokens(1000)),
      taskCount: 1,
    },
    at: contractWallMs,
    ...overrides,
  };
}

export const completed: TaskOutcome = { status: "completed", outputBytes: 2, degraded: [] };

export const failed: TaskOutcome = {
  status: "failed",
  cause: "agent_error",
  message: "It threw.",
  code: "agent_failed",
  retryable: true,
  stop: {
    reason: "agent_error",
    guard: "none",
    rule: "agent",
    evidence: {},
    spent: { tokens: "0", nanoUsd: "0", calls: "0" },
    reserved: { tokens: "0", nanoUsd: "0", calls: "0" },
    limit: { tokens: "0", nanoUsd: "0", calls: "0" },
    resumable: false,
    hint: "Look at the agent.",
  },
};
